// SPDX-License-Identifier: Apache-2.0
#include "takt/core/histogram.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace takt {
namespace {

// All writers raise the maximum all the time.
TEST(HistogramConcurrent, KeepsTheIndexOfTheMaximumWhileWritersRaceForIt) {
  for (int round = 0; round < 30; ++round) {
    Histogram shared;
    std::vector<std::thread> writers;
    writers.reserve(3);
    for (int t = 0; t < 3; ++t) {
      writers.emplace_back([&, t] {
        for (int i = 1; i <= 300; ++i) {
          const auto value = 3 * i + t;
          shared.record(Duration{value}, static_cast<std::uint64_t>(value), SteadyTime{Duration{value}});
        }
      });
    }
    for (auto& w : writers) w.join();
    EXPECT_EQ(shared.max(), Duration{902});
    EXPECT_EQ(shared.max_index(), 902U);
    EXPECT_EQ(shared.max_at(), SteadyTime{Duration{902}});
  }
}

TEST(HistogramConcurrent, LosesNoneOfSeveralWriters) {
  constexpr int threads = 4;
  constexpr std::int64_t each = 5000;
  Histogram shared;
  std::atomic<bool> reading{true};
  std::thread reader([&] {
    while (reading.load()) {
      const auto p = shared.percentile(0.9);
      if (shared.count() > 0) {
        EXPECT_LE(p, Duration{threads * each});
      }
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> writers;
  writers.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 1; i <= each; ++i) {
        const auto value = static_cast<std::uint64_t>(t * each + i);
        shared.record(Duration{t * each + i}, value);
      }
    });
  }
  for (auto& w : writers) w.join();
  reading = false;
  reader.join();
  constexpr std::int64_t n = threads * each;
  EXPECT_EQ(shared.count(), static_cast<std::uint64_t>(n));
  EXPECT_EQ(shared.min(), Duration{1});
  EXPECT_EQ(shared.max(), Duration{n});
  EXPECT_EQ(shared.max_index(), static_cast<std::uint64_t>(n));
  EXPECT_DOUBLE_EQ(shared.mean_ns(), (static_cast<double>(n) + 1) / 2);
}

}  // namespace
}  // namespace takt
