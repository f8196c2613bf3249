// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "takt/core/time.hpp"

namespace takt::lab::deadlines {

/// When the clock process was at which simulated time.
struct ClockSample {
  SteadyTime at{};
  ClockTime sim{};
};

/// Two consecutive messages of the clock that were too far apart.
struct ClockGap {
  SteadyTime at{};  ///< of the later one
  Duration length{};

  SteadyTime begin() const noexcept { return at - length; }
};

/// A step of the clock process that came late, as its own verdict tells it.
struct LateStep {
  SteadyTime at{};
  double response_ms = 0;
  std::string cause;  ///< the key of a timing::Cause
  std::string detail;
};

/// What the clock process says of itself at its end.
struct ClockEnd {
  std::uint64_t iterations = 0;
  std::uint64_t late = 0;
  double dropped_ms = 0;  ///< wall time that was lost because it does not catch up
  std::vector<LateStep> late_steps;
  std::uint64_t lost_events = 0;  ///< samples and gaps that its log does not have
};

/// The log of `takt clock` (docs/formats/lab-deadlines.md).
struct ClockLog {
  std::vector<ClockSample> samples;
  std::vector<ClockGap> gaps;
  std::optional<ClockEnd> end;  ///< unset: it was killed
};

/// Reads lines {"report": "start"|"sample"|"gap"|"end", ...}. A last line without a line end is one that was
/// being written: it is left out. Pure. Errors: CannotMeasure with the number of the line and what is wrong
/// with it; also when there is no "start", or when time goes backwards.
ClockLog read_clock_log(std::string_view text);

/// Real time factors over consecutive samples.
struct RtfWindow {
  SteadyTime begin{};
  SteadyTime end{};
  double factor = 0;
};

/// What the samples within [first, last] say of the publisher.
struct Rtf {
  double whole = 0;
  double least = 0;
  double most = 0;
  std::vector<RtfWindow> windows;
};

/// Unset with fewer than two samples in there. Pure.
std::optional<Rtf> rtf_between(const std::vector<ClockSample>& samples, SteadyTime first, SteadyTime last);

}  // namespace takt::lab::deadlines
