// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "takt/core/error.hpp"

namespace takt {

/// Every duration in takt: signed nanoseconds, never a bare number.
using Duration = std::chrono::nanoseconds;

/// The monotonic timeline of the machine (CLOCK_MONOTONIC): what execution is measured on.
struct SteadyTimeline {};
/// The timeline of one injected Clock (steady, calendar or simulated): what a timer's grid lies on.
struct ClockTimeline {};

using SteadyTime = std::chrono::time_point<SteadyTimeline, Duration>;
using ClockTime = std::chrono::time_point<ClockTimeline, Duration>;

/// "Never": later than every time that can occur.
inline constexpr SteadyTime kNever = SteadyTime::max();
inline constexpr ClockTime kNeverOnClock = ClockTime::max();

/// The longest period or deadline that takt accepts. Beyond it a grid slot could overflow 64-bit nanoseconds.
inline constexpr Duration kLongestDuration = std::chrono::hours{24 * 365 * 100};

constexpr double to_ms(Duration d) { return static_cast<double>(d.count()) * 1e-6; }
constexpr double to_us(Duration d) { return static_cast<double>(d.count()) * 1e-3; }
constexpr double to_seconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }

/// A point of time as the number that an atomic holds.
constexpr std::int64_t as_ns(SteadyTime t) noexcept { return t.time_since_epoch().count(); }
constexpr std::int64_t as_ns(ClockTime t) noexcept { return t.time_since_epoch().count(); }
constexpr ClockTime clock_time(std::int64_t ns) noexcept { return ClockTime{Duration{ns}}; }

/// The value in its largest unit that is not below one: "10 ms", "1.5 us", "-2 s", "0 s". Allocates.
std::string to_string(Duration d);

/// Converts any chrono duration to nanoseconds.
/// Errors: SetupError that names `what` and the value when it is not a number or its magnitude is beyond
/// kLongestDuration.
template <class Rep, class Period>
Duration checked_duration(std::chrono::duration<Rep, Period> value, const char* what) {
  const auto seconds = std::chrono::duration<long double>(value).count();
  const auto limit = std::chrono::duration<long double>(kLongestDuration).count();
  if (!(seconds >= -limit && seconds <= limit)) {
    throw SetupError(
        std::string(what) + " of " + std::to_string(static_cast<double>(seconds)) + " s is out of range",
        "use a value of at most 100 years");
  }
  return std::chrono::duration_cast<Duration>(value);
}

}  // namespace takt
