// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <deque>
#include <mutex>

#include "takt/core/bounded_queue.hpp"
#include "takt/core/record_ring.hpp"

namespace takt {
namespace {

/// The baseline: what a program without takt would write.
void baseline_mutex_and_deque(benchmark::State& state) {
  std::mutex mutex;
  std::deque<std::uint64_t> queue;
  std::uint64_t i = 0;
  for (auto _ : state) {
    {
      const std::lock_guard lock(mutex);
      queue.push_back(++i);
    }
    const std::lock_guard lock(mutex);
    benchmark::DoNotOptimize(queue.front());
    queue.pop_front();
  }
}
BENCHMARK(baseline_mutex_and_deque);

void bounded_queue_push_pop(benchmark::State& state) {
  BoundedQueue<std::uint64_t> queue(static_cast<std::uint32_t>(state.range(0)), WhenFull::drop_oldest);
  std::uint64_t i = 0;
  for (auto _ : state) {
    queue.push(std::uint64_t{++i});
    benchmark::DoNotOptimize(queue.pop());
  }
}
BENCHMARK(bounded_queue_push_pop)->Arg(1)->Arg(10)->Arg(1000);

void bounded_queue_push_to_full(benchmark::State& state) {
  BoundedQueue<std::uint64_t> queue(static_cast<std::uint32_t>(state.range(0)), WhenFull::drop_oldest);
  std::uint64_t i = 0;
  for (auto _ : state) queue.push(std::uint64_t{++i});
}
BENCHMARK(bounded_queue_push_to_full)->Arg(1)->Arg(10)->Arg(1000);

void record_ring_push_pop(benchmark::State& state) {
  struct Record {
    std::uint64_t words[8];
  };
  RecordRing<Record> ring(1024);
  Record record{};
  for (auto _ : state) {
    ++record.words[0];
    ring.try_push(record);
    ring.try_pop(record);
    benchmark::DoNotOptimize(record);
  }
}
BENCHMARK(record_ring_push_pop);

}  // namespace
}  // namespace takt
