// SPDX-License-Identifier: Apache-2.0
#include "takt/core/timer_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ClockTime at(Duration d) { return ClockTime{d}; }

void expect(const GridStep& step, Duration release, std::int64_t skipped, Duration next) {
  EXPECT_EQ(step.release, at(release));
  EXPECT_EQ(step.skipped, skipped);
  EXPECT_EQ(step.next, at(next));
}

/// Runs a body of the given lengths, one activation each, on a thread that is never late otherwise.
std::vector<Duration> starts_of(Duration period, OverrunPolicy policy, const std::vector<Duration>& bodies,
                                std::int64_t* skipped = nullptr) {
  std::vector<Duration> starts;
  ClockTime slot = at(0ms);
  ClockTime now = slot;
  for (const auto body : bodies) {
    now = std::max(now, slot);
    const auto step = grid::take(slot, period, policy, now);
    starts.push_back(now.time_since_epoch());
    if (skipped != nullptr) *skipped += step.skipped;
    slot = step.next;
    now += body;
  }
  return starts;
}

TEST(TimerGrid, StartsOnePeriodAfterNow) { EXPECT_EQ(grid::first(at(5ms), 10ms), at(15ms)); }

TEST(TimerGrid, MovesOnePeriodWhenInTime) {
  expect(grid::take(at(10ms), 10ms, OverrunPolicy::skip, at(10ms)), 10ms, 0, 20ms);
}

TEST(TimerGrid, KeepsItsPhaseWhenASlotIsMissed) {
  expect(grid::take(at(10ms), 10ms, OverrunPolicy::skip, at(22ms)), 10ms, 1, 30ms);
  expect(grid::take(at(10ms), 10ms, OverrunPolicy::skip, at(59ms)), 10ms, 4, 60ms);
}

TEST(TimerGrid, FiresOnceWhenALateCallLandsOnASlot) {
  expect(grid::take(at(10ms), 10ms, OverrunPolicy::skip, at(20ms)), 10ms, 1, 30ms);
}

// ros2_control#2236: a cycle 0.26 ms late at 500 Hz is late, and no slot is lost.
TEST(TimerGrid, SkipsNothingWhenLateByLessThanAPeriod) {
  expect(grid::take(at(10ms), 2ms, OverrunPolicy::skip, at(10ms + 260us)), 10ms, 0, 12ms);
}

TEST(TimerGrid, RunsEverySlotUnderCatchUp) {
  expect(grid::take(at(10ms), 10ms, OverrunPolicy::catch_up, at(55ms)), 10ms, 0, 20ms);
}

TEST(TimerGrid, StartsAnewAtNowUnderReAnchor) {
  expect(grid::take(at(10ms), 10ms, OverrunPolicy::re_anchor, at(37ms)), 10ms, 2, 47ms);
}

TEST(TimerGrid, KeepsItsPhaseUnderReAnchorWhileNoSlotIsMissed) {
  expect(grid::take(at(10ms), 10ms, OverrunPolicy::re_anchor, at(19ms)), 10ms, 0, 20ms);
}

TEST(TimerGrid, IsAlwaysReadyWithAPeriodOfZero) {
  for (const auto policy : {OverrunPolicy::skip, OverrunPolicy::catch_up, OverrunPolicy::re_anchor}) {
    expect(grid::take(at(10ms), 0ms, policy, at(12ms)), 12ms, 0, 12ms);
  }
}

// A body of 22 ms in a 10 ms timer: the next start is 22 ms later, then 8 ms, back on the grid.
TEST(TimerGrid, ShowsALongIntervalAndThenAShortOneAfterAnOverrun) {
  std::int64_t skipped = 0;
  EXPECT_THAT(starts_of(10ms, OverrunPolicy::skip, {22ms, 1ms, 1ms, 1ms}, &skipped),
              ElementsAre(0ms, 22ms, 30ms, 40ms));
  EXPECT_EQ(skipped, 1);
  EXPECT_THAT(starts_of(10ms, OverrunPolicy::catch_up, {22ms, 1ms, 1ms, 1ms}),
              ElementsAre(0ms, 22ms, 23ms, 30ms));
  EXPECT_THAT(starts_of(10ms, OverrunPolicy::re_anchor, {22ms, 1ms, 1ms, 1ms}),
              ElementsAre(0ms, 22ms, 32ms, 42ms));
}

// rcl#289: 10,000 firings of a 1 ms timer, each up to 0.4 ms late: the error does not grow.
TEST(TimerGrid, DoesNotDrift) {
  std::mt19937 random(289);
  std::uniform_int_distribution<int> late(0, 400'000);
  ClockTime slot = grid::first(at(0ms), 1ms);
  for (int i = 1; i <= 10'000; ++i) {
    const auto step = grid::take(slot, 1ms, OverrunPolicy::skip, slot + Duration{late(random)});
    ASSERT_EQ(step.release, at(i * 1ms));
    ASSERT_EQ(step.skipped, 0);
    slot = step.next;
  }
}

// rclcpp#2771: 100 ms timer whose body takes 200 ms for 2 s, then 1 ms: skips are counted and no burst
// follows.
TEST(TimerGrid, CountsSkipsAndNeverBurstsAfterALongOverload) {
  std::vector<Duration> bodies(10, 200ms);
  bodies.insert(bodies.end(), 10, 1ms);
  std::int64_t skipped = 0;
  const auto starts = starts_of(100ms, OverrunPolicy::skip, bodies, &skipped);
  for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_GE(starts[i] - starts[i - 1], 100ms);
  // Slots 0 .. last: each was either taken or skipped.
  const auto last_slot = starts.back() / 100ms;
  EXPECT_EQ(last_slot + 1, static_cast<std::int64_t>(starts.size()) + skipped);
  EXPECT_EQ(skipped, 10);
}

TEST(TimerGrid, AccountsForEverySlotAndStaysAheadOfNow) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const Duration period{static_cast<std::int64_t>(random() % 1'000'000'000) + 1};
    const Duration late{static_cast<std::int64_t>(random() >> (random() % 40 + 8))};
    const auto slot = at(Duration{static_cast<std::int64_t>(random() % 4'000'000'000'000'000'000)});
    const auto now = slot + late;
    const auto step = grid::take(slot, period, OverrunPolicy::skip, now);
    ASSERT_GT(step.next, now);
    ASSERT_LE(step.next - now, period);
    ASSERT_EQ(step.next - slot, (step.skipped + 1) * period);
    const auto anew = grid::take(slot, period, OverrunPolicy::re_anchor, now);
    ASSERT_EQ(anew.skipped, late / period);
    ASSERT_GT(anew.next, now);
  }
}

TEST(TimerGrid, WorksWithTheLongestPeriodOnTheCalendar) {
  const auto calendar = at(24h * 365 * 60);
  const auto slot = grid::first(calendar, kLongestDuration);
  EXPECT_GT(slot, calendar);
  EXPECT_GT(grid::take(slot, kLongestDuration, OverrunPolicy::skip, slot).next, slot);
}

// The rules of ROS time for a jump.
TEST(TimerGridJump, ForwardLeavesTheSlotAndTheCallSkipsTheRest) {
  EXPECT_EQ(grid::after_jump(at(110ms), 10ms, at(100ms), at(105ms), at(1s)), at(110ms));
  expect(grid::take(at(110ms), 10ms, OverrunPolicy::skip, at(1s)), 110ms, 89, 1010ms);
}

TEST(TimerGridJump, BackwardBeforeTheLastStartReAnchors) {
  EXPECT_EQ(grid::after_jump(at(110ms), 10ms, at(100ms), at(105ms), at(20ms)), at(30ms));
}

TEST(TimerGridJump, SmallBackwardLeavesTheSlot) {
  EXPECT_EQ(grid::after_jump(at(110ms), 10ms, at(100ms), at(105ms), at(101ms)), at(110ms));
  EXPECT_EQ(grid::after_jump(at(110ms), 10ms, at(100ms), at(105ms), at(100ms)), at(110ms));
}

// rclpy#1490: the calendar steps back 60 s: the next slot lies within one period.
TEST(TimerGridJump, SixtySecondsBackReAnchorsWithinOnePeriod) {
  const auto after = at(1000s - 60s);
  const auto slot = grid::after_jump(at(1000s + 100ms), 100ms, at(1000s), at(1000s + 50ms), after);
  EXPECT_GT(slot, after);
  EXPECT_LE(slot - after, 100ms);
}

std::string refusal_of(Duration period, bool allow_zero = false) {
  try {
    checked_period(period, allow_zero);
  } catch (const SetupError& e) {
    return e.what();
  }
  return "accepted";
}

// rclcpp#1177, ros2_controllers#437.
TEST(CheckedPeriod, RefusesNegativeZeroAndOverflowingByName) {
  EXPECT_THAT(refusal_of(-5ms), HasSubstr("-5 ms is negative"));
  EXPECT_THAT(refusal_of(0ms), HasSubstr("0 s"));
  EXPECT_THAT(refusal_of(kLongestDuration + 1ns), HasSubstr("out of range"));
  EXPECT_THAT(refusal_of(Duration::max()), HasSubstr("9223372036.85 s is out of range"));
}

TEST(CheckedPeriod, AcceptsZeroWithIntent) {
  EXPECT_EQ(refusal_of(0ms, true), "accepted");
  EXPECT_EQ(checked_period(10ms, false), 10ms);
  EXPECT_EQ(checked_period(kLongestDuration, false), kLongestDuration);
}

TEST(TimerGrid, NamesItsPolicies) {
  EXPECT_STREQ(to_string(OverrunPolicy::skip), "skip");
  EXPECT_STREQ(to_string(OverrunPolicy::catch_up), "catch_up");
  EXPECT_STREQ(to_string(OverrunPolicy::re_anchor), "re_anchor");
}

TEST(TimerGrid, AllocatesNothing) {
  const testing::NoAllocation guard;
  const auto step = grid::take(at(10ms), 10ms, OverrunPolicy::skip, at(22ms));
  grid::after_jump(step.next, 10ms, at(22ms), at(23ms), at(1ms));
}

}  // namespace
}  // namespace takt
