// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "lab/deadlines/counting.hpp"

namespace takt::lab::deadlines {

/// For tests: what was published of five seconds with an injection, as an ideal machine has it.
inline void expect_published_counts(const Counts& counts) {
  EXPECT_EQ(counts.callbacks, 489U);
  EXPECT_EQ(counts.grid_periods_spanned, 498);
  EXPECT_EQ(counts.skipped_periods, 10);
  EXPECT_EQ(counts.deadline_misses, 20U);
  EXPECT_NEAR(counts.interval_wall.mean_ms, 10.205, 0.0005);
  EXPECT_DOUBLE_EQ(counts.interval_wall.min_ms, 8.0);
  EXPECT_DOUBLE_EQ(counts.interval_wall.max_ms, 22.0);
}

}  // namespace takt::lab::deadlines
