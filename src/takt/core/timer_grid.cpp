// SPDX-License-Identifier: Apache-2.0
#include "takt/core/timer_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace takt {

const char* to_string(OverrunPolicy policy) noexcept {
  switch (policy) {
    case OverrunPolicy::skip:
      return "skip";
    case OverrunPolicy::catch_up:
      return "catch_up";
    case OverrunPolicy::re_anchor:
      return "re_anchor";
  }
  return "unknown";
}

GridStep grid::take(ClockTime slot, Duration period, OverrunPolicy policy, ClockTime now) noexcept {
  if (period <= Duration::zero()) return {now, 0, now};
  GridStep step{slot, 0, slot + period};
  if (step.next > now || policy == OverrunPolicy::catch_up) return step;
  step.skipped = 1 + (now - step.next) / period;
  step.next = policy == OverrunPolicy::re_anchor ? now + period : step.next + step.skipped * period;
  return step;
}

ClockTime grid::after_jump(ClockTime slot, Duration period, ClockTime last_start, ClockTime before,
                           ClockTime after) noexcept {
  return after < before && after < last_start ? after + period : slot;
}

Duration checked_period(Duration period, bool allow_zero) {
  if (period < Duration::zero()) {
    throw SetupError(fmt::format("a timer period of {} is negative", to_string(period)),
                     "give a period above zero");
  }
  if (period == Duration::zero() && !allow_zero) {
    throw SetupError(
        "a timer period of 0 s makes the timer always ready",
        "give a period above zero, or ask for zero explicitly on a thread that is not real-time");
  }
  if (period > kLongestDuration) {
    throw SetupError(fmt::format("a timer period of {} is out of range", to_string(period)),
                     "use a value of at most 100 years");
  }
  return period;
}

}  // namespace takt
