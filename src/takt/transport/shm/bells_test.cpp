// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/bells.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <fstream>
#include <mutex>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/data_test_support.hpp"

namespace takt::shm {
namespace {

using BellsTest = ShmDataTest;

TEST_F(BellsTest, ABellThatHasMovedEndsTheWaitAtOnce) {
  const auto seen = self_.bell->value();
  self_.bells->ring(self_.bell->index());
  EXPECT_NE(self_.bell->value(), seen);
  EXPECT_EQ(self_.bell->wait(seen, kNever), WaitResult::woken);
}

TEST_F(BellsTest, AWaitEndsAtItsDeadline) {
  EXPECT_EQ(self_.bell->wait(self_.bell->value(), SteadyTime{Duration{1}}), WaitResult::timed_out);
}

TEST_F(BellsTest, EachExecutorHasItsOwn) {
  const auto other = self_.bells->claim(5);
  EXPECT_NE(other->index(), self_.bell->index());
  const auto seen = other->value();
  self_.bells->ring(self_.bell->index());
  EXPECT_EQ(other->value(), seen);
  EXPECT_EQ(self_.bells->in_use(), 2U);
}

TEST_F(BellsTest, ANumberThatIsNoBellIsIgnored) {
  self_.bells->ring(Bells::kRows);
  self_.bells->ring(~0U);
  Bells::Round round(*self_.bells);
  round.move(~0U);
  round.wake();
}

TEST_F(BellsTest, AllBellsCanBeUsedAndNoMore) {
  std::vector<std::unique_ptr<Bells::Bell>> all;
  for (std::uint32_t i = 1; i < Bells::kRows; ++i) all.push_back(self_.bells->claim(0));
  EXPECT_THROW(self_.bells->claim(0), SetupError);
  all.pop_back();
  EXPECT_NO_THROW(self_.bells->claim(0));
}

/// Puts the calling thread on the first CPU it may use, under SCHED_FIFO. False if that is refused.
bool run_on_one_cpu(int priority) {
  cpu_set_t allowed;
  cpu_set_t one;
  CPU_ZERO(&one);
  ::pthread_getaffinity_np(::pthread_self(), sizeof allowed, &allowed);
  std::size_t cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  CPU_SET(cpu, &one);
  const sched_param parameters{priority};
  return ::pthread_setaffinity_np(::pthread_self(), sizeof one, &one) == 0 &&
         ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &parameters) == 0;
}

TEST_F(BellsTest, TheHighestPriorityIsWokenFirst) {
  // On one CPU threads of one real-time priority run in the order in which they were woken.
  const std::vector<int> priorities = {10, 30, 20, 40};
  std::vector<int> order;
  std::mutex mutex;
  std::vector<std::unique_ptr<Bells::Bell>> bells;
  for (const auto priority : priorities) bells.push_back(self_.bells->claim(priority));
  bool permitted = true;
  std::thread ringing([&] {
    permitted = run_on_one_cpu(20);
    std::vector<std::thread> waiting;
    for (std::size_t i = 0; permitted && i < bells.size(); ++i) {
      waiting.emplace_back([&, i] {
        run_on_one_cpu(10);
        bells[i]->wait(bells[i]->value(), kNever);
        const std::lock_guard lock(mutex);
        order.push_back(priorities[i]);
      });
    }
    const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds{20}); };
    pause();  // until all wait
    Bells::Round round(*self_.bells);
    for (const auto& bell : bells) round.move(bell->index());
    round.wake();
    for (auto& thread : waiting) thread.join();
  });
  ringing.join();
  if (!permitted) GTEST_SKIP() << "SCHED_FIFO is refused";
  EXPECT_EQ(order, (std::vector<int>{40, 30, 20, 10}));
}

TEST_F(BellsTest, AFileThatIsNotTheDomainsIsRefused) {
  std::filesystem::resize_file(self_.domain.path() / "bells-1", 100);
  EXPECT_THROW(Bells::open(self_.domain, self_.id), SetupError);
  std::filesystem::remove(self_.domain.path() / "bells-1");
  std::ofstream(self_.domain.path() / "bells-1") << "x";
  std::filesystem::permissions(self_.domain.path() / "bells-1", std::filesystem::perms(0600));
  EXPECT_THROW(Bells::open(self_.domain, self_.id), SetupError);
}

}  // namespace
}  // namespace takt::shm
