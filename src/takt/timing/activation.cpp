// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/recorder.hpp"

namespace takt::timing {

namespace {

thread_local constinit Activation* current = nullptr;

/// The start before this one gives the interval; an excluded activation leaves none to count from.
std::optional<Duration> since_last(std::atomic<std::int64_t>& last_ns, std::int64_t start_ns,
                                   bool excluded) noexcept {
  const auto before = last_ns.exchange(excluded ? INT64_MIN : start_ns, std::memory_order_relaxed);
  if (excluded || before == INT64_MIN) return std::nullopt;
  return Duration{start_ns - before};
}

}  // namespace

Activation* current_activation() noexcept { return current; }

Activation::Activation(Section& entered, const Trigger& trigger, SteadyTime now) noexcept
    : section(&entered),
      start(now),
      release(trigger.release),
      start_on_clock(trigger.start_on_clock.value_or(ClockTime{now.time_since_epoch()})),
      arrival(trigger.arrival.value_or(now)),
      origin(trigger.origin.value_or(Origin{now, entered.id()})),
      index(entered.begun_.fetch_add(1, std::memory_order_relaxed) + 1),
      interval(since_last(entered.last_start_ns_, now.time_since_epoch().count(),
                          (trigger.flags & kExcluded) != 0)),
      skipped(trigger.skipped),
      flags(trigger.flags & kFlagMask),
      outer(current) {
  current = this;
}

void Activation::exit() noexcept { current = outer; }

}  // namespace takt::timing
