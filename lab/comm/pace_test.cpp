// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/comm/comm_test_support.hpp"
#include "lab/comm/pace.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
using example::plan_of_stage;

TEST(CommPace, WhatWasSeenCorrectsWhatWasExpected) {
  auto plan = plan_of_stage("fanout");
  const Pace pace(plan, 0);
  EXPECT_GT(pace.expected(), Pace(plan, 10).expected());
  EXPECT_EQ(pace.remaining(0, 0, 0s), pace.expected());
  EXPECT_EQ(pace.remaining(plan.points().size(), 0, pace.expected()), 0s);
  EXPECT_GT(pace.remaining(1, 0.5, 600s), pace.remaining(1, 0.5, 60s));
}

TEST(CommPace, ProcessesAreKeptWhereSettingThemUpIsDear) {
  const auto* takt = find_stack("takt");
  const auto* iceoryx = find_stack("iceoryx");
  EXPECT_FALSE(are_kept(*takt, {.subscribers = 16}));
  EXPECT_TRUE(are_kept(*takt, {.subscribers = 64}));
  EXPECT_FALSE(are_kept(*iceoryx, {.subscribers = 64}));
}

}  // namespace
}  // namespace takt::lab::comm
