// SPDX-License-Identifier: Apache-2.0
// What recording costs, beside the two clock reads that a program without takt would need to know the same
// two times. Cold: as at 1 kHz, with the caches full of something else.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "takt/core/steady_clock.hpp"
#include "takt/timing/monitor.hpp"
#include "takt/timing/system_counters.hpp"
#include "takt/timing/thread_counters.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;

SteadyClock& steady() { return *SteadyClock::instance(); }

SectionOptions options() {
  SectionOptions options;
  options.name = "bench";
  options.deadline = 1h;
  return options;
}

void evict_caches() {
  static std::vector<char> memory(64U << 20U);
  for (std::size_t i = 0; i < memory.size(); i += 64) ++memory[i];
}

void bm_two_clock_reads_warm(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(steady().steady_now());
    benchmark::DoNotOptimize(steady().steady_now());
  }
}
BENCHMARK(bm_two_clock_reads_warm);

/// In batches that the ring holds; folding, which is the house's work, is not timed.
void bm_record_warm(benchmark::State& state) {
  constexpr int kBatch = 1000;
  Monitor monitor;
  auto& section = monitor.add(options());
  Recorder recorder(monitor);
  for (auto _ : state) {
    const auto before = steady().steady_now();
    for (int i = 0; i < kBatch; ++i) {
      auto activation = recorder.begin(section);
      benchmark::DoNotOptimize(recorder.end(activation));
    }
    state.SetIterationTime(to_seconds(steady().steady_now() - before) / kBatch);
    monitor.fold();
  }
  state.counters["not_recorded"] = static_cast<double>(section.not_recorded().activations);
}
BENCHMARK(bm_record_warm)->UseManualTime()->Iterations(500);

/// As fast as it goes: the worker folds as well, because the house cannot keep up.
void bm_record_saturated(benchmark::State& state) {
  Monitor monitor;
  auto& section = monitor.add(options());
  Recorder recorder(monitor);
  for (auto _ : state) {
    auto activation = recorder.begin(section);
    benchmark::DoNotOptimize(recorder.end(activation));
  }
  state.counters["not_recorded"] = static_cast<double>(section.not_recorded().activations);
}
BENCHMARK(bm_record_saturated);

/// Times `work` after `between`. The median is the figure: a mean over 300 runs holds what else the machine
/// did.
template <class Between, class Work>
void one_by_one(benchmark::State& state, Between&& between, Work&& work) {
  std::vector<double> times;
  for (auto _ : state) {
    between();
    const auto before = steady().steady_now();
    work();
    const auto took = steady().steady_now() - before;
    times.push_back(static_cast<double>(took.count()));
    state.SetIterationTime(to_seconds(took));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  state.counters["median_ns"] = times[times.size() / 2];
}

template <class Between>
void two_clock_reads(benchmark::State& state, Between&& between) {
  one_by_one(state, between, [] {
    benchmark::DoNotOptimize(steady().steady_now());
    benchmark::DoNotOptimize(steady().steady_now());
  });
}

template <class Between>
void record(benchmark::State& state, Between&& between) {
  Monitor monitor;
  auto& section = monitor.add(options());
  Recorder recorder(monitor);
  one_by_one(state, between, [&] {
    auto activation = recorder.begin(section);
    benchmark::DoNotOptimize(recorder.end(activation));
  });
}

void one_millisecond() { steady().sleep_for(1ms); }

void bm_two_clock_reads_at_1khz(benchmark::State& state) { two_clock_reads(state, one_millisecond); }
void bm_record_at_1khz(benchmark::State& state) { record(state, one_millisecond); }
BENCHMARK(bm_two_clock_reads_at_1khz)->UseManualTime()->Iterations(300);
BENCHMARK(bm_record_at_1khz)->UseManualTime()->Iterations(300);

/// The worst: every line of code and data comes from memory.
void bm_two_clock_reads_evicted(benchmark::State& state) { two_clock_reads(state, evict_caches); }
void bm_record_evicted(benchmark::State& state) { record(state, evict_caches); }
BENCHMARK(bm_two_clock_reads_evicted)->UseManualTime()->Iterations(300);
BENCHMARK(bm_record_evicted)->UseManualTime()->Iterations(300);

void bm_snapshot_before_a_wait(benchmark::State& state) {
  Monitor monitor;
  Recorder recorder(monitor);
  for (auto _ : state) recorder.before_wait();
}
BENCHMARK(bm_snapshot_before_a_wait);

void bm_readings_after_a_miss(benchmark::State& state) {
  const ThreadCounters thread;
  SystemCounters system;
  for (auto _ : state) {
    benchmark::DoNotOptimize(thread.read());
    system.refresh();
  }
}
BENCHMARK(bm_readings_after_a_miss);

}  // namespace
}  // namespace takt::timing
