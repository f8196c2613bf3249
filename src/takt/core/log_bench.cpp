// SPDX-License-Identifier: Apache-2.0
#include "takt/core/log.hpp"

#include <benchmark/benchmark.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <cstdio>
#include <string>

namespace takt::log {
namespace {

constexpr int kBurst = 500;  // fewer than the queue holds

/// The baseline: format in the caller, as most logs do, and write nothing.
void baseline_format_in_the_caller(benchmark::State& state) {
  char line[256];
  double value = 0.5;
  for (auto _ : state) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    value += 1;
    std::snprintf(line, sizeof line, "[%lld] joint %s is at %.3f of %d", static_cast<long long>(now.tv_sec),
                  "elbow", value, 7);
    benchmark::DoNotOptimize(line);
  }
}
BENCHMARK(baseline_format_in_the_caller);

/// In bursts, the queue emptied in between: the caller's cost, with the wake of the house where it sleeps.
void log_write(benchmark::State& state) {
  set_level(Level::info);
  set_sink([](Level, std::string_view, void*) {}, nullptr);
  double value = 0.5;
  int n = 0;
  for (auto _ : state) {
    value += 1;
    write(Level::info, "bench", "joint {} is at {:.3f} of {}", "elbow", value, 7);
    if (++n == kBurst) {
      n = 0;
      state.PauseTiming();
      flush();
      state.ResumeTiming();
    }
  }
  flush();
  set_sink(nullptr, nullptr);
  state.counters["dropped"] = static_cast<double>(dropped());
}
BENCHMARK(log_write)->Iterations(100'000);

void log_write_below_the_level(benchmark::State& state) {
  set_level(Level::info);
  double value = 0.5;
  for (auto _ : state) {
    value += 1;
    write(Level::debug, "bench", "joint {} is at {:.3f} of {}", "elbow", value, 7);
  }
}
BENCHMARK(log_write_below_the_level);

}  // namespace
}  // namespace takt::log
