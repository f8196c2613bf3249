// SPDX-License-Identifier: Apache-2.0
#include "lab/common/interrupt.hpp"

#include <gtest/gtest.h>

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
