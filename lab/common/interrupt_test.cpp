// SPDX-License-Identifier: Apache-2.0
#include "lab/common/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "lab/common/keep_awake.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab {
namespace {

using namespace std::chrono_literals;

SteadyTime in(Duration d) { return SteadyClock::instance()->steady_now() + d; }

TEST(InterruptTest, AWaitEndsAtItsTime) {
  const Interrupt interrupt;
  EXPECT_FALSE(Interrupt::wait_until(in(20ms)));
}

TEST(InterruptTest, ASignalEndsTheWaitAndPutsTheDefaultBack) {
  const Interrupt interrupt;
  std::thread sender([] {
    std::this_thread::sleep_for(20ms);
    kill(getpid(), SIGINT);
  });
  EXPECT_TRUE(Interrupt::wait_until(in(10s)));
  sender.join();
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

/// What ends a child that gets the first signal, then the second.
int signal_that_ends(int first, int second) {
  const pid_t child = fork();
  if (child == 0) {
    const Interrupt interrupt;
    raise(first);
    if (!Interrupt::requested()) _exit(9);
    raise(second);
    _exit(8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

TEST(InterruptTest, ASecondSignalEndsTheProcessWhicheverItIs) {
  for (const int first : {SIGINT, SIGTERM, SIGHUP}) {
    for (const int second : {SIGINT, SIGTERM, SIGHUP}) {
      EXPECT_EQ(signal_that_ends(first, second), second) << first;
    }
  }
}

TEST(InterruptTest, AnIgnoredSignalStaysIgnored) {
  const auto former = std::signal(SIGINT, SIG_IGN);
  {
    const Interrupt interrupt;
    raise(SIGINT);
    EXPECT_FALSE(Interrupt::requested());
    raise(SIGHUP);
    EXPECT_TRUE(Interrupt::requested());
    raise(SIGINT);
  }
  EXPECT_EQ(std::signal(SIGINT, former), SIG_IGN);
}

TEST(OnInterruptTest, ActsOnceTheUserAsks) {
  const Interrupt interrupt;
  std::atomic<int> calls{0};
  {
    const OnInterrupt on_interrupt([&] { ++calls; });
    EXPECT_EQ(calls, 0);
    Interrupt::request();
    while (calls == 0) std::this_thread::yield();
  }
  {
    const OnInterrupt too_late([&] { ++calls; });
    while (calls == 1) std::this_thread::yield();
  }
  EXPECT_EQ(calls, 2);
}

TEST(OnInterruptTest, EndsWithoutARequest) {
  const Interrupt interrupt;
  bool called = false;
  for (int i = 0; i < 50; ++i) const OnInterrupt never([&] { called = true; });
  EXPECT_FALSE(called);
}

TEST(InterruptTest, TheNextOneStartsAnew) {
  {
    const Interrupt interrupt;
    Interrupt::request();
    EXPECT_TRUE(Interrupt::requested());
  }
  const Interrupt interrupt;
  EXPECT_FALSE(Interrupt::requested());
}

TEST(KeepAwakeTimingTest, SaysWhatItDoesAndEnds) {
  const KeepAwake keep_awake;
  EXPECT_NE(keep_awake.description().find("SCHED_IDLE loops on "), std::string::npos);
  EXPECT_NE(keep_awake.description().find("cpu_dma_latency"), std::string::npos);
}

}  // namespace
}  // namespace takt::lab
