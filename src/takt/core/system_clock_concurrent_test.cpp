// SPDX-License-Identifier: Apache-2.0
#include "takt/core/system_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace takt {
namespace {

using namespace std::chrono_literals;

TEST(SystemClockConcurrent, CountsAStepOnceWhoeverSeesItAndNeverMixesEpochs) {
  std::atomic<std::int64_t> offset{0};
  std::atomic<std::int64_t> ticks{0};
  const SystemClock clock([&] { return Duration{ticks.load() + offset.load()}; },
                          [&] { return Duration{++ticks}; });
  constexpr std::int64_t hour = 3'600'000'000'000;
  constexpr std::uint32_t steps = 40;
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  readers.reserve(3);
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      std::uint32_t last = 0;
      while (!done.load()) {
        const auto reading = clock.read();
        EXPECT_GE(reading.epoch, last);
        // The time belongs to the epoch: step number e put the clock at e hours.
        EXPECT_EQ(static_cast<std::uint32_t>(reading.now.time_since_epoch() / 1h), reading.epoch);
        last = reading.epoch;
        std::this_thread::yield();
      }
    });
  }
  for (std::uint32_t i = 1; i <= steps; ++i) {
    offset += hour;
    while (clock.jumps() < i) std::this_thread::yield();
    std::this_thread::sleep_for(200us);
  }
  done = true;
  for (auto& t : readers) t.join();
  EXPECT_EQ(clock.jumps(), steps);
}

}  // namespace
}  // namespace takt
