// SPDX-License-Identifier: Apache-2.0
// For the thread sanitizer: commands from all sides while time goes on.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "takt/sim/clock_server.hpp"

namespace takt::sim {
namespace {

using namespace std::chrono_literals;
using Kind = ClockCommand::Kind;

Context::SharedPtr lone_context() {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  options.discovery = DiscoveryRange::off;
  return Context::make(std::move(options));
}

TEST(ClockServerConcurrent, CommandsOfManyThreadsAreCarriedOutOneByOne) {
  ClockServer clock(lone_context(), {.world = {.rtf = 0, .paused = true}, .events = 64});
  constexpr int kThreads = 4;
  constexpr int kSteps = 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&clock] {
      for (int done = 0; done < kSteps;) {
        if (clock.command({Kind::step, 1, {}, 0}).refusal == Refusal::none) ++done;
        clock.take_event();
      }
    });
  }
  threads.emplace_back([&clock] {
    for (int i = 0; i < 50; ++i) {
      clock.command({Kind::set_rtf, 0, {}, i % 2 == 0 ? 1000.0 : 0.0});
      clock.verdicts();
    }
    clock.command({Kind::set_rtf, 0, {}, 0});
  });
  for (auto& thread : threads) thread.join();
  while (clock.status().state != WorldState::paused) std::this_thread::yield();
  EXPECT_EQ(clock.status().sim_time, ClockTime{1s + kThreads * kSteps * 1ms});
}

TEST(ClockServerConcurrent, ItEndsWhileItIsAsked) {
  for (int round = 0; round < 20; ++round) {
    ClockServer clock(lone_context());
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&clock] {
        while (clock.command({Kind::pause, 0, {}, 0}).refusal == Refusal::none) {
        }
      });
    }
    clock.stop();
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(clock.command({}).refusal, Refusal::stopped);
  }
}

}  // namespace
}  // namespace takt::sim
