// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/common/table.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

/// What made an interval between two starts longer than the period.
enum class Lengthened : std::uint8_t {
  ordinary,        ///< nothing: it is within the jitter allowance
  injected_sleep,  ///< the callback before slept on purpose
  throttled,       ///< the CPU quota had the group stopped
  clock_late,      ///< the clock process was late: there was no time to start at
  control_late,    ///< the control thread was late, or the callback before ran long
};
/// "injected_sleep" ...
const char* key(Lengthened reason) noexcept;
/// "the injected sleep", "the clock process was late" ...
const char* words(Lengthened reason) noexcept;

/// One wall interval and what happened in it.
struct LongInterval {
  double at_s = 0;  ///< of the later start, since the first kept callback
  double interval_ms = 0;
  double expected_ms = 0;  ///< the period, in wall time
  Lengthened reason = Lengthened::ordinary;
  std::string detail;
};

/// The longest interval of the phase first, then those over the wall budget that are not it, longest first;
/// at most `most`. Pure.
std::vector<LongInterval> long_intervals(const PhaseResult& result, std::size_t most = 100);

/// "longest interval of each phase: when, how long, what happened".
Table table_of_longest(const std::vector<const PhaseResult*>& results);

}  // namespace takt::lab::deadlines
