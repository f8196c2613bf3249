// SPDX-License-Identifier: Apache-2.0
#include "takt/core/steady_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

TEST(SteadyClock, IsTheMonotonicClockOfTheMachine) {
  SteadyClock clock;
  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  const auto now = clock.steady_now().time_since_epoch();
  EXPECT_GE(now, before);
  EXPECT_LE(now, std::chrono::steady_clock::now().time_since_epoch());
  EXPECT_GE(clock.now().time_since_epoch(), now);
  EXPECT_EQ(clock.read().epoch, 0U);
  EXPECT_TRUE(clock.read().started);
}

TEST(SteadyClock, NeverSleepsTooShort) {
  auto& clock = *SteadyClock::instance();
  const auto until = clock.steady_now() + 3ms;
  clock.sleep_until(until);
  EXPECT_GE(clock.steady_now(), until);
}

TEST(SteadyClock, SleepsNotAtAllWhenTheTimeHasPassed) {
  auto& clock = *SteadyClock::instance();
  const auto before = clock.steady_now();
  clock.sleep_until(SteadyTime{-1h});
  clock.sleep_until(SteadyTime{});
  EXPECT_LT(clock.steady_now() - before, 1s);
}

TEST(SteadyClock, NeverTimesOutTooEarly) {
  auto& clock = *SteadyClock::instance();
  const std::atomic<std::uint32_t> word{0};
  const auto deadline = clock.steady_now() + 3ms;
  while (clock.wait(word, 0, deadline) != WaitResult::timed_out) {
  }
  EXPECT_GE(clock.steady_now(), deadline);
}

TEST(SteadyClock, ReturnsFromAWaitAtOnceWhenTheWordDiffersOrTheDeadlineHasPassed) {
  auto& clock = *SteadyClock::instance();
  const std::atomic<std::uint32_t> word{1};
  EXPECT_EQ(clock.wait(word, 0, kNever), WaitResult::woken);
  EXPECT_EQ(clock.wait(word, 1, SteadyTime{-1h}), WaitResult::timed_out);
}

TEST(SteadyClock, IsReadWithoutTheHeap) {
  const auto& clock = *SteadyClock::instance();
  const testing::NoAllocation guard;
  clock.read();
}

TEST(Clock, NamesItsKinds) {
  EXPECT_STREQ(to_string(ClockKind::steady), "steady");
  EXPECT_STREQ(to_string(ClockKind::system), "system");
  EXPECT_STREQ(to_string(ClockKind::simulated), "simulated");
}

}  // namespace
}  // namespace takt
