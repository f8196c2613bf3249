// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/stage.hpp"

#include <cstring>

#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {

void record(Stage& stage, std::size_t reader, std::uint64_t index, std::int64_t sent_ns) noexcept {
  const auto now = SteadyClock::instance()->steady_now().time_since_epoch().count();
  auto& counter = stage.counts[reader];
  const auto count = counter.load(std::memory_order_relaxed);
  if (index < stage.cell.warmup || count >= kMostSamples) return;
  stage.latency_us[reader][count] = static_cast<float>(static_cast<double>(now - sent_ns) * 1e-3);
  counter.store(count + 1, std::memory_order_release);
}

void fill(void* bytes, std::size_t size, std::uint64_t index) noexcept {
  std::memset(bytes, static_cast<int>(index & 127U), size);
}

void read(const void* bytes, std::size_t size) noexcept {
  static std::atomic<std::uint64_t> sink{0};  // keeps the loop
  const auto* at = static_cast<const std::byte*>(bytes);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, 8);
    sum += word;
  }
  sink.store(sum, std::memory_order_relaxed);
}

}  // namespace takt::lab::comm
