// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/stage.hpp"

#include <cstring>

#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t pages(std::size_t bytes) noexcept { return (bytes + kPage - 1) / kPage * kPage; }

/// Every array begins on a page of its own: who does not use it pays nothing for it.
struct StageLayout {
  explicit StageLayout(const Round& round) noexcept
      : row(pages(round.samples * sizeof(float))),
        publish(pages(sizeof(Stage))),
        latency(publish + row),
        sent(latency + row * round.readers),
        buffer(sent + pages((std::size_t{round.samples} + round.warmup) * sizeof(std::int64_t))),
        answer_buffer(buffer + pages(round.size)),
        end(answer_buffer + (round.round_trip ? pages(round.size) : 0)) {}
  std::size_t row, publish, latency, sent, buffer, answer_buffer, end;
};

}  // namespace

std::byte* Stage::behind(std::size_t offset) noexcept { return reinterpret_cast<std::byte*>(this) + offset; }

std::span<float> Stage::publish_us() noexcept {
  return {reinterpret_cast<float*>(behind(StageLayout(round).publish)), round.samples};
}

std::span<float> Stage::latency_us(std::size_t reader) noexcept {
  const StageLayout layout(round);
  return {reinterpret_cast<float*>(behind(layout.latency + layout.row * reader)), round.samples};
}

std::atomic<std::int64_t>& Stage::sent_ns(std::uint64_t index) noexcept {
  auto* all = reinterpret_cast<std::atomic<std::int64_t>*>(behind(StageLayout(round).sent));
  return all[index % (std::size_t{round.samples} + round.warmup)];
}

std::span<std::byte> Stage::buffer() noexcept { return {behind(StageLayout(round).buffer), round.size}; }

std::span<std::byte> Stage::answer_buffer() noexcept {
  return {behind(StageLayout(round).answer_buffer), round.size};
}

std::size_t Stage::bytes_for(const Round& round) noexcept { return StageLayout(round).end; }

void record(Stage& stage, std::size_t reader, std::uint64_t index, std::int64_t sent_ns) noexcept {
  const auto now = SteadyClock::instance()->steady_now().time_since_epoch().count();
  auto& counter = stage.counts[reader];
  const auto count = counter.load(std::memory_order_relaxed);
  if (index < stage.first.load(std::memory_order_acquire) || count >= stage.round.samples) return;
  stage.latency_us(reader)[count] = static_cast<float>(static_cast<double>(now - sent_ns) * 1e-3);
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
