// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/clock_events.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace takt::sim {
namespace {

using namespace std::chrono_literals;

TEST(ClockEvents, SamplesAreAtLeastATenthOfASecondApartAndTheFirstIsTheFirst) {
  ClockEvents events(64);
  for (int i = 0; i <= 250; ++i) events.add(SteadyTime{1s + i * 1ms}, ClockTime{2s + i * 1ms}, 1ms);
  std::vector<SteadyTime> at;
  while (const auto event = events.take()) {
    EXPECT_EQ(event->kind, ClockEvent::Kind::sample);
    EXPECT_EQ(event->sim.time_since_epoch() - event->at.time_since_epoch(), 1s);
    at.push_back(event->at);
  }
  EXPECT_EQ(at, (std::vector{SteadyTime{1s}, SteadyTime{1100ms}, SteadyTime{1200ms}}));
}

TEST(ClockEvents, AGapIsMoreThanTwoWallStepsBetweenTwoPublishes) {
  ClockEvents events(64);
  events.add(SteadyTime{1s}, ClockTime{1s}, 1ms);
  events.add(SteadyTime{1s + 2ms}, ClockTime{1s}, 1ms);
  events.add(SteadyTime{1s + 4ms + 1ns}, ClockTime{3s}, 1ms);
  events.add(SteadyTime{1s + 50ms}, ClockTime{4s}, 0ms);  // no pace, no gap
  ASSERT_TRUE(events.take());
  const auto gap = events.take();
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->kind, ClockEvent::Kind::gap);
  EXPECT_EQ(gap->gap, 2ms + 1ns);
  EXPECT_EQ(gap->at, SteadyTime{1s + 4ms + 1ns});
  EXPECT_EQ(gap->sim, ClockTime{3s});
  EXPECT_FALSE(events.take());
}

TEST(ClockEvents, WhatFindsNoRoomIsCounted) {
  ClockEvents events(2);
  for (int i = 0; i < 5; ++i) events.add(SteadyTime{i * 100ms}, ClockTime{}, 1s);
  EXPECT_EQ(events.lost(), 3U);
}

}  // namespace
}  // namespace takt::sim
