// SPDX-License-Identifier: Apache-2.0
#include "takt/core/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace takt {
namespace {

using namespace std::chrono_literals;

TEST(VirtualClock, MovesOnlyWhenTold) {
  VirtualClock clock(VirtualClock::Advance::manual, SteadyTime{5s});
  EXPECT_EQ(clock.steady_now(), SteadyTime{5s});
  clock.advance(3ms);
  EXPECT_EQ(clock.steady_now(), SteadyTime{5s + 3ms});
  clock.advance_to(SteadyTime{6s});
  EXPECT_EQ(clock.steady_now(), SteadyTime{6s});
  EXPECT_EQ(clock.now().time_since_epoch(), clock.steady_now().time_since_epoch());
  EXPECT_EQ(clock.kind(), ClockKind::steady);
}

TEST(VirtualClock, ReturnsFromAWaitAtOnceWhenTheWordDiffersOrTheDeadlineHasPassed) {
  for (const auto mode : {VirtualClock::Advance::manual, VirtualClock::Advance::automatic}) {
    VirtualClock clock(mode, SteadyTime{5s});
    const std::atomic<std::uint32_t> word{1};
    EXPECT_EQ(clock.wait(word, 0, kNever), WaitResult::woken);
    EXPECT_EQ(clock.wait(word, 1, SteadyTime{5s}), WaitResult::timed_out);
    EXPECT_EQ(clock.wait(word, 1, SteadyTime{1s}), WaitResult::timed_out);
    EXPECT_EQ(clock.steady_now(), SteadyTime{5s});
  }
}

TEST(VirtualClock, JumpsToTheDeadlineOfAWaitWhenAutomatic) {
  VirtualClock clock(VirtualClock::Advance::automatic, SteadyTime{5s});
  const std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(clock.wait(word, 0, SteadyTime{7s}), WaitResult::timed_out);
  EXPECT_EQ(clock.steady_now(), SteadyTime{7s});
  clock.sleep_until(SteadyTime{9s});
  EXPECT_EQ(clock.steady_now(), SteadyTime{9s});
  clock.sleep_for(1h);
  EXPECT_EQ(clock.steady_now(), SteadyTime{9s + 1h});
}

TEST(VirtualClockDeathTest, CallsGoingBackABug) {
  VirtualClock clock;
  EXPECT_DEATH(clock.advance(-1ns), "bug");
  EXPECT_DEATH(clock.advance_to(SteadyTime{0s}), "bug");
}

}  // namespace
}  // namespace takt
