// SPDX-License-Identifier: Apache-2.0
#include "takt/core/futex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace takt {
namespace {

TEST(FutexConcurrent, WakesAWaiter) {
  std::atomic<std::uint32_t> word{0};
  std::thread waiter([&] {
    while (word.load() == 0) EXPECT_EQ(futex::wait(word, 0, kNever), WaitResult::woken);
  });
  word = 1;
  futex::wake(word);
  waiter.join();
}

TEST(FutexConcurrent, WakesAsManyAsAsked) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<int> awake{0};
  std::vector<std::thread> waiters;
  waiters.reserve(3);
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      futex::wait(word, 0, kNever);
      awake.fetch_add(1);
    });
  }
  int woken = 0;
  while (woken < 1) woken += futex::wake(word, 1);  // until one has gone to sleep
  EXPECT_EQ(woken, 1);
  while (woken < 3) woken += futex::wake_all(word);
  EXPECT_EQ(woken, 3);
  for (auto& t : waiters) t.join();
  EXPECT_EQ(futex::wake_all(word), 0);
}

TEST(FutexConcurrent, HandsATurnBackAndForthWithoutLosingAWake) {
  std::atomic<std::uint32_t> turn{0};
  constexpr std::uint32_t turns = 2000;
  const auto play = [&](std::uint32_t parity) {
    for (;;) {
      const auto seen = turn.load();
      if (seen >= turns) return;
      if (seen % 2 != parity) {
        futex::wait(turn, seen, kNever);
        continue;
      }
      turn.store(seen + 1);
      futex::wake(turn);
    }
  };
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  EXPECT_EQ(turn.load(), turns);
}

}  // namespace
}  // namespace takt
