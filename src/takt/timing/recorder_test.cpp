// SPDX-License-Identifier: Apache-2.0
// The real-time promise of the recorder: no heap use on the path of an activation, with and without a miss.
#include "takt/timing/recorder.hpp"

#include <gtest/gtest.h>

#include "takt/core/steady_clock.hpp"
#include "takt/core/testing/no_allocation.hpp"
#include "takt/timing/monitor.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;

TEST(Recorder, AllocatesNothingBetweenBeginAndEndNorAroundAWait) {
  House house;
  Monitor monitor({.house = &house, .ring_records = 16});  // so that it also folds inline
  SectionOptions options;
  options.name = "never late";
  options.deadline = 1h;
  auto& met = monitor.add(options);
  options.name = "always late";
  options.deadline = 0ms;
  options.on_miss = [](const MissEvent&) {};
  auto& missed = monitor.add(options);
  ChainOptions chain;
  chain.name = "chain";
  chain.from = chain.to = "always late";
  chain.deadline = 0ms;
  monitor.add_chain(chain);
  Recorder recorder(monitor);
  {
    const takt::testing::NoAllocation promise;
    for (int i = 0; i < 2000; ++i) {
      recorder.before_wait();
      recorder.after_wait(monitor.clock().steady_now());
      for (auto* section : {&met, &missed}) {
        auto activation = recorder.begin(*section);
        recorder.end(activation);
      }
    }
  }
  EXPECT_EQ(met.activations(), 2000U);
  EXPECT_EQ(missed.misses(), 2000U);
  EXPECT_EQ(monitor.verdict(missed).activations, 2000U);
}

TEST(Recorder, LastFinishSparesAClockRead) {
  House house;
  Monitor monitor({.house = &house});
  SectionOptions options;
  options.name = "s";
  auto& section = monitor.add(options);
  Recorder recorder(monitor);
  const auto before = monitor.clock().steady_now();
  auto activation = recorder.begin(section);
  recorder.end(activation);
  EXPECT_GE(recorder.last_finish(), before);
  EXPECT_LE(recorder.last_finish(), monitor.clock().steady_now());
}

}  // namespace
}  // namespace takt::timing
