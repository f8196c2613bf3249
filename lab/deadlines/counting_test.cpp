// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/counting.hpp"

#include <gtest/gtest.h>

#include "lab/deadlines/phase.hpp"
#include "lab/deadlines/published_counts.hpp"
#include "takt/core/error.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;

/// A callback that starts at `start` (the wall clock a second ahead of the timer's) and runs for `execution`.
Row row_at(Duration start, Duration execution = 0ms, bool injected = false) {
  return {.wall_start = SteadyTime{1s + start},
          .timer_start = ClockTime{start},
          .wall_end = SteadyTime{1s + start + execution},
          .timer_end = ClockTime{start + execution},
          .injected = injected};
}

TEST(Counting, IdealInjectedPhaseGivesThePublishedFigures) {
  const auto rows = ideal_rows(*find_phase("wall_injected"), 5s);
  EXPECT_EQ(rows.size(), 490U);  // the slot at exactly 5 s included
  const Counts counts = count(rows);
  expect_published_counts(counts);
  EXPECT_EQ(counts.injected, 10U);
  EXPECT_DOUBLE_EQ(counts.interval_wall.p99_ms, 22.0);
  EXPECT_DOUBLE_EQ(counts.start_lateness.max_ms, 12.0);
  EXPECT_DOUBLE_EQ(counts.response_max_ms, 22.0);
  EXPECT_EQ(counts.intervals_over_period, 10U);
  EXPECT_EQ(counts.intervals_over_period_plus_jitter, 10U);
  EXPECT_EQ(counts.intervals_over_budget, 0U);
  EXPECT_EQ(counts.execution_wall_max_injected_ms, 22.0);
  EXPECT_DOUBLE_EQ(counts.node_rtf, 1.0);
  EXPECT_EQ(counts.grid_periods_spanned + 1 - counts.skipped_periods,
            static_cast<std::int64_t>(counts.callbacks));
}

TEST(Counting, IdealBaselineHasNeitherMissNorSkip) {
  const Counts counts = count(ideal_rows(*find_phase("wall_baseline"), 5s));
  EXPECT_EQ(counts.callbacks, 499U);
  EXPECT_EQ(counts.grid_periods_spanned, 498);
  EXPECT_EQ(counts.skipped_periods, 0);
  EXPECT_EQ(counts.deadline_misses, 0U);
  EXPECT_EQ(counts.intervals_over_period, 0U);
  EXPECT_DOUBLE_EQ(counts.interval_wall.mean_ms, 10.0);
  EXPECT_FALSE(counts.execution_wall_max_injected_ms.has_value());
}

TEST(Counting, FirstCallbackIsDroppedAndTheGridStartsAtTheSecond) {
  // The first one is 3 ms late and slow: it must not matter. The third is 1 ms before the grid's slot.
  const Counts counts = count({row_at(13ms, 50ms, true), row_at(20ms), row_at(29ms), row_at(40ms)});
  EXPECT_EQ(counts.callbacks, 3U);
  EXPECT_EQ(counts.injected, 0U);
  EXPECT_EQ(counts.deadline_misses, 0U);
  EXPECT_DOUBLE_EQ(counts.kept[0].lateness_ms, 0.0);
  EXPECT_DOUBLE_EQ(counts.kept[1].lateness_ms, -1.0);
  EXPECT_DOUBLE_EQ(counts.kept[2].lateness_ms, 0.0);
  EXPECT_DOUBLE_EQ(counts.interval_wall.max_ms, 11.0);
  EXPECT_DOUBLE_EQ(counts.max_wall_interval_at_s, 0.020);
  EXPECT_DOUBLE_EQ(counts.max_wall_interval_minus_deadline_ms, 1.0);
}

TEST(Counting, AMissIsStrictlyAboveTheDeadline) {
  const Counts counts = count({row_at(0ms), row_at(10ms, 10ms), row_at(20ms, 10ms + 1ns), row_at(30ms)});
  EXPECT_EQ(counts.deadline_misses, 1U);
  EXPECT_FALSE(counts.kept[0].missed);
  EXPECT_TRUE(counts.kept[1].missed);
}

TEST(Counting, AStartThatLandsOnTheNextSlotSkipsIt) {
  // Expected 20, starts at 30: the slot at 30 is gone, the next one is 40.
  const Counts counts = count({row_at(0ms), row_at(10ms), row_at(30ms), row_at(40ms)});
  EXPECT_EQ(counts.skipped_periods, 1);
  EXPECT_EQ(counts.kept[1].skipped, 1);
  EXPECT_DOUBLE_EQ(counts.kept[1].lateness_ms, 10.0);
  EXPECT_DOUBLE_EQ(counts.kept[2].lateness_ms, 0.0);
  EXPECT_EQ(counts.grid_periods_spanned, 3);
}

TEST(Counting, ExecutionIsTakenFromTheWallClock) {
  // Under a shared /clock thread time stands still inside a callback.
  Row slow = row_at(20ms, 22ms, true);
  slow.timer_end = slow.timer_start;
  const Counts counts = count({row_at(0ms), row_at(10ms), slow});
  EXPECT_EQ(counts.execution_timer_max_injected_ms, 0.0);
  EXPECT_EQ(counts.execution_wall_max_injected_ms, 22.0);
  EXPECT_EQ(counts.deadline_misses, 1U);
}

TEST(Counting, RanksAndLimits) {
  std::vector<Row> rows;
  Duration at{};
  for (int i = 0; i <= 101; ++i) rows.push_back(row_at(at += 10ms));
  rows.push_back(row_at(at += 10500us));  // not more than period plus jitter
  rows.push_back(row_at(at += 10500us + 1ns));
  rows.push_back(row_at(at += 25ms));  // not over the budget
  rows.push_back(row_at(at += 25ms + 1ns));
  const Counts counts = count(rows);
  // 104 intervals: index round(0.99 * 103) = 102, the second largest.
  EXPECT_DOUBLE_EQ(counts.interval_wall.p99_ms, 25.0);
  EXPECT_EQ(counts.intervals_over_period, 4U);
  EXPECT_EQ(counts.intervals_over_period_plus_jitter, 3U);
  EXPECT_EQ(counts.intervals_over_budget, 1U);
}

TEST(Counting, NodeRtfIsTimerSpanOverWallSpan) {
  std::vector<Row> rows;
  for (int i = 0; i < 5; ++i) {
    Row row = row_at(i * 10ms);
    row.wall_start = SteadyTime{i * 20ms};
    row.wall_end = row.wall_start;
    rows.push_back(row);
  }
  const Counts counts = count(rows);
  EXPECT_DOUBLE_EQ(counts.node_rtf, 0.5);
  EXPECT_DOUBLE_EQ(counts.interval_wall.mean_ms, 20.0);
  EXPECT_DOUBLE_EQ(counts.interval_timer.mean_ms, 10.0);
  EXPECT_EQ(counts.deadline_misses, 0U);
}

TEST(Counting, TooFewRowsAreRefused) {
  EXPECT_THROW(count({}), SetupError);
  EXPECT_THROW(count({row_at(0ms), row_at(10ms)}), SetupError);
  EXPECT_EQ(count({row_at(0ms), row_at(10ms), row_at(20ms)}).callbacks, 2U);
}

}  // namespace
}  // namespace takt::lab::deadlines
