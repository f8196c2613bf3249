// SPDX-License-Identifier: Apache-2.0
// What recording costs, beside the two clock reads that a program without takt would need to know the same
// two times. Cold: as at 1 kHz, with the caches full of something else.
#include <benchmark/benchmark.h>

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

void bm_record_warm(benchmark::State& state) {
  Monitor monitor;
  auto& section = monitor.add(options());
  Recorder recorder(monitor);
  for (auto _ : state) {
    auto activation = recorder.begin(section);
    benchmark::DoNotOptimize(recorder.end(activation));
  }
  state.counters["not_recorded"] = static_cast<double>(section.not_recorded().activations);
}
BENCHMARK(bm_record_warm);

template <class Work>
void cold(benchmark::State& state, Work&& work) {
  for (auto _ : state) {
    evict_caches();
    const auto before = steady().steady_now();
    work();
    state.SetIterationTime(to_seconds(steady().steady_now() - before));
  }
}

void bm_two_clock_reads_cold(benchmark::State& state) {
  cold(state, [] {
    benchmark::DoNotOptimize(steady().steady_now());
    benchmark::DoNotOptimize(steady().steady_now());
  });
}
BENCHMARK(bm_two_clock_reads_cold)->UseManualTime()->Iterations(300);

void bm_record_cold(benchmark::State& state) {
  Monitor monitor;
  auto& section = monitor.add(options());
  Recorder recorder(monitor);
  cold(state, [&] {
    auto activation = recorder.begin(section);
    benchmark::DoNotOptimize(recorder.end(activation));
  });
}
BENCHMARK(bm_record_cold)->UseManualTime()->Iterations(300);

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
