// SPDX-License-Identifier: Apache-2.0
#include "takt/core/system_clock.hpp"

#include <utility>

#include "takt/core/machine_clock.hpp"

namespace takt {
namespace {

constexpr Duration kClose =
    std::chrono::microseconds{20};  // a reading of both clocks that took no longer is good
constexpr Duration kSlew =
    std::chrono::milliseconds{1};  // a smaller change of the offset is not worth a write
constexpr int kTries = 4;

Duration magnitude(Duration d) noexcept { return d < Duration::zero() ? -d : d; }

}  // namespace

SystemClock::SystemClock()
    : SystemClock([] { return machine::read(CLOCK_REALTIME); },
                  [] { return machine::read(CLOCK_MONOTONIC); }) {}

SystemClock::SystemClock(Source calendar, Source monotonic)
    : calendar_(std::move(calendar)), monotonic_(std::move(monotonic)) {
  offsets_ns_[0].store(sample().offset.count(), std::memory_order_relaxed);
}

SystemClock::Sample SystemClock::sample() const noexcept {
  Sample best{};
  for (int i = 0; i < kTries; ++i) {
    const auto before = monotonic_();
    const auto now = calendar_();
    const auto took = monotonic_() - before;
    if (i == 0 || took / 2 < best.uncertainty) best = {now, now - (before + took / 2), took / 2};
    if (took <= kClose) break;
  }
  return best;
}

ClockReading SystemClock::read() const noexcept {
  Sample seen{};
  std::uint32_t epoch = 0;
  for (int i = 0; i < kTries; ++i) {
    epoch = epoch_.load();
    auto& current = offsets_ns_[epoch % offsets_ns_.size()];
    auto& following = offsets_ns_[(epoch + 1) % offsets_ns_.size()];
    auto expected = current.load();
    auto unwritten = following.load();
    if (epoch_.load() != epoch) continue;
    seen = sample();
    const auto change = magnitude(seen.offset - Duration{expected});
    if (change - seen.uncertainty > kStep) {
      following.compare_exchange_strong(unwritten, seen.offset.count());
      epoch_.compare_exchange_strong(epoch, epoch + 1);
      continue;  // read again: the time returned belongs to the epoch returned
    }
    if (change > kSlew && seen.uncertainty < kSlew)
      current.compare_exchange_strong(expected, seen.offset.count());
    if (epoch_.load() == epoch) break;
  }
  return {ClockTime{seen.now}, epoch, true};
}

std::uint64_t SystemClock::jumps() const noexcept { return epoch_.load(); }

const std::shared_ptr<SystemClock>& SystemClock::instance() {
  // Never destroyed: the log and static objects use it until the process is gone.
  static const auto& clock = *new auto(std::make_shared<SystemClock>());
  return clock;
}

}  // namespace takt
