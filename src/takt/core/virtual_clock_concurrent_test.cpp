// SPDX-License-Identifier: Apache-2.0
#include "takt/core/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "takt/core/futex.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

void wait_until_waiting(const VirtualClock& clock, std::size_t threads) {
  while (clock.waiting() != threads) std::this_thread::yield();
}

TEST(VirtualClockConcurrent, EndsAWaitExactlyWhenItsDeadlineIsReached) {
  VirtualClock clock(VirtualClock::Advance::manual, SteadyTime{1s});
  const std::atomic<std::uint32_t> word{0};
  std::atomic<bool> ended{false};
  std::thread waiter([&] {
    EXPECT_EQ(clock.wait(word, 0, SteadyTime{2s}), WaitResult::timed_out);
    EXPECT_EQ(clock.steady_now(), SteadyTime{2s});
    ended = true;
  });
  wait_until_waiting(clock, 1);
  clock.advance_to(SteadyTime{2s - 1ns});
  std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(ended.load());
  clock.advance(1ns);
  EXPECT_EQ(clock.waiting(), 0U);  // advance() saw it go
  waiter.join();
}

TEST(VirtualClockConcurrent, LosesNoWakeThatFallsBetweenCheckAndSleep) {
  VirtualClock clock;
  const std::atomic<std::uint32_t> word{0};
  constexpr int rounds = 300;
  std::thread waiter([&] {
    for (int i = 0; i < rounds; ++i) {
      const auto deadline = clock.steady_now() + 1ms;
      while (clock.wait(word, 0, deadline) != WaitResult::timed_out) {
      }
    }
  });
  // Any schedule of advances ends the waits; none may be slept through.
  std::atomic<bool> done{false};
  std::thread driver([&] {
    while (!done.load()) {
      clock.advance(1ms);
      std::this_thread::yield();
    }
  });
  waiter.join();
  done = true;
  driver.join();
}

TEST(VirtualClockConcurrent, EndsAWaitWhenItsWordIsWoken) {
  for (const auto mode : {VirtualClock::Advance::manual, VirtualClock::Advance::automatic}) {
    VirtualClock clock(mode);
    const auto start = clock.steady_now();
    std::atomic<std::uint32_t> word{0};
    std::thread waiter([&] { EXPECT_EQ(clock.wait(word, 0, kNever), WaitResult::woken); });
    wait_until_waiting(clock, 1);
    word = 1;
    futex::wake_all(word);
    waiter.join();
    EXPECT_EQ(clock.steady_now(), start);
  }
}

TEST(VirtualClockConcurrent, WakesSleepersInAnyNumber) {
  VirtualClock clock(VirtualClock::Advance::manual, SteadyTime{1s});
  std::atomic<int> awake{0};
  std::vector<std::thread> sleepers;
  sleepers.reserve(4);
  for (int i = 1; i <= 4; ++i) {
    sleepers.emplace_back([&clock, &awake, i] {
      clock.sleep_until(SteadyTime{1s + i * 10ms});
      EXPECT_GE(clock.steady_now(), SteadyTime{1s + i * 10ms});
      awake.fetch_add(1);
    });
  }
  wait_until_waiting(clock, 4);
  clock.advance(20ms);
  EXPECT_EQ(clock.waiting(), 2U);
  clock.advance(20ms);
  for (auto& t : sleepers) t.join();
  EXPECT_EQ(awake.load(), 4);
}

}  // namespace
}  // namespace takt
