// SPDX-License-Identifier: Apache-2.0
#include "takt/core/histogram.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace takt {
namespace {

std::vector<Duration> durations() {
  std::vector<Duration> values(1024);
  std::uint32_t state = 1;
  for (auto& v : values) v = Duration{(state = state * 1664525U + 1013904223U) % 20'000'000U};
  return values;
}

/// The floor: what the loop and one uncontended atomic addition cost.
void baseline_atomic_add(benchmark::State& state) {
  const auto values = durations();
  std::atomic<std::int64_t> sum{0};
  std::size_t i = 0;
  for (auto _ : state) sum.fetch_add(values[++i & 1023].count(), std::memory_order_relaxed);
  benchmark::DoNotOptimize(sum.load());
}
BENCHMARK(baseline_atomic_add);

void histogram_record_warm(benchmark::State& state) {
  const auto values = durations();
  Histogram h;
  std::size_t i = 0;
  for (auto _ : state) {
    ++i;
    h.record(values[i & 1023], i);
  }
}
BENCHMARK(histogram_record_warm);

/// One activation's four histograms after 8 MB of other memory were touched: what a slow timer pays.
void histogram_record_four_cold(benchmark::State& state) {
  const auto values = durations();
  std::array<Histogram, 4> four;
  std::vector<char> other(8U << 20);
  std::size_t i = 0;
  for (auto _ : state) {
    for (std::size_t k = 0; k < other.size(); k += 64) other[k] = static_cast<char>(other[k] + 1);
    benchmark::ClobberMemory();
    const auto start = std::chrono::steady_clock::now();
    for (auto& h : four) {
      ++i;
      h.record(values[i & 1023], i);
    }
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}
BENCHMARK(histogram_record_four_cold)->UseManualTime()->Iterations(2000);

/// What reading the clock twice costs by itself: to be taken off the row above.
void baseline_clock_cold(benchmark::State& state) {
  std::vector<char> other(8U << 20);
  for (auto _ : state) {
    for (std::size_t k = 0; k < other.size(); k += 64) other[k] = static_cast<char>(other[k] + 1);
    benchmark::ClobberMemory();
    const auto start = std::chrono::steady_clock::now();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}
BENCHMARK(baseline_clock_cold)->UseManualTime()->Iterations(2000);

void histogram_percentile(benchmark::State& state) {
  const auto h = std::make_unique<Histogram>();
  for (const auto v : durations()) h->record(v);
  for (auto _ : state) benchmark::DoNotOptimize(h->percentile(0.99));
}
BENCHMARK(histogram_percentile);

}  // namespace
}  // namespace takt
