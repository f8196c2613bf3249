// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/machine.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>

#include "takt/core/steady_clock.hpp"
#include "takt/timing/section.hpp"
#include "takt/timing/worker_log.hpp"

namespace takt::timing {

namespace {

std::int64_t now_ns() noexcept { return SteadyClock::instance()->steady_now().time_since_epoch().count(); }

template <class T>
T median(T* first, std::size_t count) noexcept {
  std::nth_element(first, first + count / 2, first + count);
  return first[count / 2];
}

std::int64_t measure_minor_fault() noexcept {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kPages = 64;
  void* memory = mmap(nullptr, kPage * kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  std::array<std::int64_t, kPages> costs{};
  auto* pages = static_cast<volatile char*>(memory);
  for (std::size_t i = 0; i < kPages; ++i) {
    const auto before = now_ns();
    pages[i * kPage] = 1;
    costs[i] = now_ns() - before;
  }
  munmap(memory, kPage * kPages);
  return std::max<std::int64_t>(1, median(costs.data(), costs.size()));
}

bool on_real_time_thread() noexcept {
  const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

double measure_recording() {
  constexpr std::size_t kRuns = 21;
  constexpr int kActivations = 100;
  WorkerLog log(*SteadyClock::instance(), nullptr, nullptr,
                {.records = 4096, .asked = {}, .granted = {}, .pool = {}, .counters = false});
  SectionOptions options;
  options.name = "calibration";
  options.deadline = std::chrono::hours{1};
  Section section(1, options);
  std::array<double, kRuns> costs{};
  for (auto& cost : costs) {
    const auto before = now_ns();
    for (int i = 0; i < kActivations; ++i) {
      auto activation = log.enter(section, {});
      log.leave(activation);
    }
    cost = static_cast<double>(now_ns() - before) / kActivations;
    ActivationRecord record;
    while (log.records.try_pop(record)) {
    }
  }
  return median(costs.data(), costs.size());
}

std::int64_t number_in(const char* path) {
  std::ifstream file(path);
  std::int64_t value = -1;
  file >> value;
  return value;
}

}  // namespace

std::int64_t minor_fault_cost_ns() noexcept {
  static const std::int64_t cost = measure_minor_fault();
  return cost;
}

std::int64_t rt_throttling_hole_ns() {
  const auto runtime_us = number_in("/proc/sys/kernel/sched_rt_runtime_us");
  const auto period_us = number_in("/proc/sys/kernel/sched_rt_period_us");
  return runtime_us < 0 ? 0 : std::max<std::int64_t>(0, (period_us - runtime_us) * 1000);
}

double recording_cost_ns() {
  static std::atomic<double> measured{0};
  auto cost = measured.load(std::memory_order_relaxed);
  if (cost == 0 && !on_real_time_thread()) {
    cost = measure_recording();
    measured.store(cost, std::memory_order_relaxed);
  }
  return cost;
}

}  // namespace takt::timing
