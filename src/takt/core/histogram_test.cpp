// SPDX-License-Identifier: Apache-2.0
#include "takt/core/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// Values spread evenly over all magnitudes from 1 ns to 1 h.
std::vector<std::int64_t> random_values(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> logarithm(
      0.0, std::log(static_cast<double>(Histogram::kLargest.count())));
  std::vector<std::int64_t> values(n);
  for (auto& v : values) v = std::max<std::int64_t>(1, std::llround(std::exp(logarithm(random))));
  return values;
}

std::unique_ptr<Histogram> filled(const std::vector<std::int64_t>& values) {
  auto histogram = std::make_unique<Histogram>();
  for (const auto v : values) histogram->record(Duration{v});
  return histogram;
}

TEST(Histogram, IsZeroWhenEmpty) {
  const Histogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.min(), 0ns);
  EXPECT_EQ(h.max(), 0ns);
  EXPECT_EQ(h.mean_ns(), 0.0);
  EXPECT_EQ(h.percentile(0.5), 0ns);
}

TEST(Histogram, KeepsCountSumMinimumAndMaximumExactly) {
  Histogram h;
  h.record(3ns, 10, SteadyTime{1s});
  h.record(1234567ns, 11, SteadyTime{2s});
  h.record(1001ns, 12, SteadyTime{3s});
  EXPECT_EQ(h.count(), 3U);
  EXPECT_EQ(h.min(), 3ns);
  EXPECT_EQ(h.max(), 1234567ns);
  EXPECT_EQ(h.max_index(), 11U);
  EXPECT_EQ(h.max_at(), SteadyTime{2s});
  EXPECT_DOUBLE_EQ(h.mean_ns(), (3 + 1234567 + 1001) / 3.0);
}

TEST(Histogram, KeepsTheFirstOfEqualMaxima) {
  Histogram h;
  h.record(5ms, 1);
  h.record(5ms, 2);
  EXPECT_EQ(h.max_index(), 1U);
}

TEST(Histogram, GivesPercentilesToOnePercent) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto values = random_values(2000 + seed, seed);
    const auto h = filled(values);
    std::sort(values.begin(), values.end());
    for (const double q : {0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::round(q * static_cast<double>(values.size() - 1)));
      const auto exact = static_cast<double>(values[rank]);
      const auto found = static_cast<double>(h->percentile(q).count());
      ASSERT_LE(std::abs(found - exact), 0.01 * exact) << "q " << q << ", seed " << seed;
    }
  }
}

TEST(Histogram, GivesEverySingleValueToOnePercent) {
  Histogram h;
  for (const auto v : random_values(20'000, 99)) {
    h.reset();
    h.record(1ns);
    h.record(Duration{v});
    h.record(1h);
    const auto found = static_cast<double>(h.percentile(0.5).count());
    ASSERT_LE(std::abs(found - static_cast<double>(v)), 0.01 * static_cast<double>(v)) << v;
  }
}

TEST(Histogram, GivesSmallValuesExactly) {
  for (int v = 1; v < 128; ++v) {
    Histogram h;
    h.record(0ns);
    h.record(Duration{v});
    h.record(1ms);
    ASSERT_EQ(h.percentile(0.5), Duration{v});
  }
}

TEST(Histogram, TakesTheNearestRank) {
  Histogram h;
  for (int v = 1; v <= 10; ++v) h.record(Duration{v});  // indices 0 .. 9
  EXPECT_EQ(h.percentile(0.5), 6ns);                    // round(4.5) = 5
  EXPECT_EQ(h.percentile(0.49), 5ns);
  EXPECT_EQ(h.percentile(0.9), 9ns);
  EXPECT_EQ(h.percentile(0.99), 10ns);
  EXPECT_EQ(h.percentile(-1), 1ns);
  EXPECT_EQ(h.percentile(2), 10ns);
}

TEST(Histogram, NeverLeavesTheRangeOfWhatWasRecorded) {
  for (const auto v : random_values(5000, 5)) {
    Histogram h;
    for (int i = 0; i < 3; ++i) h.record(Duration{v});
    for (const double q : {0.0, 0.3, 0.5, 0.7, 1.0}) ASSERT_EQ(h.percentile(q), Duration{v});
  }
}

TEST(Histogram, CountsNegativesAndOverflows) {
  Histogram h;
  h.record(-5ns);
  h.record(0ns);
  h.record(1h);
  h.record(2h);
  h.record(3h);
  EXPECT_EQ(h.count(), 5U);
  EXPECT_EQ(h.negatives(), 1U);
  EXPECT_EQ(h.overflows(), 2U);
  EXPECT_EQ(h.min(), -5ns);
  EXPECT_EQ(h.max(), 3h);
  EXPECT_EQ(h.percentile(0.0), -5ns);
  EXPECT_EQ(h.percentile(1.0), 3h);
  EXPECT_GT(h.percentile(0.75), 1h);
}

void expect_equal(const Histogram& a, const Histogram& b) {
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.negatives(), b.negatives());
  EXPECT_EQ(a.overflows(), b.overflows());
  EXPECT_EQ(a.min(), b.min());
  EXPECT_EQ(a.max(), b.max());
  EXPECT_EQ(a.max_index(), b.max_index());
  EXPECT_EQ(a.max_at(), b.max_at());
  EXPECT_DOUBLE_EQ(a.mean_ns(), b.mean_ns());
  for (int q = 0; q <= 1000; ++q) ASSERT_EQ(a.percentile(q / 1000.0), b.percentile(q / 1000.0));
}

TEST(Histogram, MergedEqualsAllRecordedInOne) {
  Histogram one;
  Histogram other;
  Histogram all;
  std::uint64_t index = 0;
  for (const auto v : random_values(3000, 42)) {
    const Duration value{index % 100 == 7 ? -v : v};
    (index % 3 == 0 ? one : other).record(value, index, SteadyTime{Duration{v}});
    all.record(value, index, SteadyTime{Duration{v}});
    ++index;
  }
  one.merge(other);
  expect_equal(one, all);
}

TEST(Histogram, TheOnlyWriterRecordsTheSame) {
  Histogram alone;
  Histogram shared;
  std::uint64_t index = 0;
  for (auto v : random_values(1000, 7)) {
    if (index % 100 == 7) v = -v;
    if (index % 100 == 8) v = 2 * Histogram::kLargest.count();
    alone.record_alone(Duration{v}, index, SteadyTime{Duration{v}});
    shared.record(Duration{v}, index, SteadyTime{Duration{v}});
    ++index;
  }
  expect_equal(alone, shared);
}

TEST(Histogram, IsNotChangedByMergingAnEmptyOne) {
  Histogram h;
  h.record(5ms, 3);
  h.merge(Histogram{});
  EXPECT_EQ(h.count(), 1U);
  EXPECT_EQ(h.min(), 5ms);
  Histogram empty;
  empty.merge(h);
  expect_equal(h, empty);
}

TEST(Histogram, IsEmptyAfterReset) {
  Histogram h;
  h.record(-1ns, 4, SteadyTime{1s});
  h.record(2h);
  h.reset();
  expect_equal(h, Histogram{});
}

TEST(Histogram, RecordsWithoutTheHeap) {
  Histogram h;
  const testing::NoAllocation guard;
  h.record(5ms, 1, SteadyTime{1s});
  h.percentile(0.5);
}

}  // namespace
}  // namespace takt
