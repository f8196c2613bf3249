// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "takt/core/time.hpp"

namespace takt {

/// What a timer does when one or more further slots have passed by the time an activation starts.
/// skip: they are dropped and counted, the phase is kept (as rcl does). catch_up: each runs, back to back,
/// none is dropped. re_anchor: they are dropped and counted, and the grid starts anew one period after this
/// start (the phase moves).
enum class OverrunPolicy : std::uint8_t { skip, catch_up, re_anchor };

const char* to_string(OverrunPolicy policy) noexcept;

/// What taking a slot gives: which slot it was, how many later slots it dropped, where the next one lies.
struct GridStep {
  ClockTime release;
  std::int64_t skipped = 0;
  ClockTime next;
};

/// Pure arithmetic of the timer grid; no state, no clock. All functions are wait-free and allocate nothing.
namespace grid {

/// The first slot of a grid that starts at `now`: one period later (rcl 9.2, timer.c).
constexpr ClockTime first(ClockTime now, Duration period) { return now + period; }

/// Takes slot `slot` at time `now` >= slot. The step's `next` is strictly after `now` under skip and
/// re_anchor. A period of zero is "always ready": the release is `now`, nothing is skipped, next is `now`.
GridStep take(ClockTime slot, Duration period, OverrunPolicy policy, ClockTime now) noexcept;

/// Where the pending slot lies after the clock jumped from `before` to `after`, `last_start` being the last
/// activation's start (or the grid's origin): a backward jump to before it re-anchors at after + period, any
/// other leaves the slot.
ClockTime after_jump(ClockTime slot, Duration period, ClockTime last_start, ClockTime before,
                     ClockTime after) noexcept;

}  // namespace grid

/// Refuses what no timer can have. Zero is allowed only where `allow_zero`.
/// Errors: SetupError that names the value, when negative, zero without leave, or above kLongestDuration.
Duration checked_period(Duration period, bool allow_zero);

}  // namespace takt
