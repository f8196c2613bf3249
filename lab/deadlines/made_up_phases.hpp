// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

#include "lab/deadlines/results.hpp"

namespace takt::lab::deadlines {

/// For tests: a phase on an ideal machine, judged by what is said of the published length.
inline JudgedPhase ideal_phase(std::string_view name, Duration length = kPublishedLength) {
  const Phase& phase = *find_phase(name);
  JudgedPhase judged{.expectations = expectations_of(phase, {}), .result = {.phase = phase}};
  judged.result.rows = ideal_rows(phase, length);
  judged.result.counts = count(judged.result.rows);
  judged.result.misses = causes_of(judged.result.counts, {});
  for (auto& miss : judged.result.misses)
    miss.cause = miss.injected ? timing::Cause::own_off_cpu : timing::Cause::blocked_by;
  judged.result.length = length;
  return judged;
}

/// For tests: the user ended it after a second.
inline JudgedPhase phase_ended_early(std::string_view name) {
  auto judged = ideal_phase(name, std::chrono::seconds{1});
  judged.result.interrupted = true;
  return judged;
}

inline JudgedPhase unmeasured_phase(std::string_view name) {
  const Phase& phase = *find_phase(name);
  JudgedPhase judged{.expectations = expectations_of(phase, {}), .result = {.phase = phase}};
  judged.result.not_measured = "why";
  return judged;
}

}  // namespace takt::lab::deadlines
