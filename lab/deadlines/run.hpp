// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/common/environment.hpp"
#include "lab/deadlines/clock_log.hpp"
#include "lab/deadlines/clock_process.hpp"
#include "lab/deadlines/counting.hpp"
#include "lab/deadlines/phase.hpp"
#include "lab/deadlines/throttle_log.hpp"
#include "takt/core/clock.hpp"
#include "takt/core/scheduling.hpp"
#include "takt/timing/verdict.hpp"

namespace takt::lab::deadlines {

struct RunSetup {
  Duration length = kPublishedLength;
  Scheduling scheduling;  ///< of the executor; default: as the calling thread has it
  std::size_t threads = 1;
  /// default: the machine's; a virtual one makes the run of a wall phase exact
  std::shared_ptr<MonotonicClock> clock{};
  bool shared_clock_thread = false;   ///< /clock is heard by the executor's thread, not by one of its own
  const QuotaGroup* group = nullptr;  ///< that the calling thread is in; null: none was made
  std::string limits{};               ///< of that group, in words
  bool hog = false;                   ///< a busy loop runs in the group as well
  bool keep_awake = false;
  // Of the simulated phases:
  std::filesystem::path clock_program = takt_beside_this_program();
  Duration clock_patience = std::chrono::seconds{15};  ///< until /clock has to be there
};

/// One miss of the published counting, with takt's cause.
struct CausedMiss {
  std::size_t activation = 0;  ///< from 1, the dropped first callback included
  double at_s = 0;             ///< wall start since the first kept callback
  double response_ms = 0;
  bool injected = false;
  timing::Cause cause = timing::Cause::unknown;
  std::string detail;  ///< takt's shares; or why there is no cause
};

/// What one phase gave.
struct PhaseResult {
  Phase phase;
  std::vector<Row> rows;
  Counts counts;                   ///< by the published rules
  timing::Verdict verdict;         ///< takt's own, on the timer's true grid, of every activation
  std::vector<CausedMiss> misses;  ///< of the published counting
  Environment environment;         ///< what the machine did during this phase
  bool interrupted = false;        ///< the user ended it early (lab::Interrupt)
  Duration length{};               ///< how long it ran
  std::string not_measured{};      ///< why there are no counts; empty: there are

  std::vector<QuotaSample> quota{};           ///< of the control group, where it has a quota
  std::vector<ThrottledStretch> throttled{};  ///< what they say

  // Simulated phases:
  std::optional<double> first_clock_wait_s{};
  ClockLog clock{};          ///< what the clock process wrote down
  std::string clock_text{};  ///< its log as it is
  std::optional<Rtf> rtf{};  ///< of the publisher, between the first and the last kept start

  bool measured() const { return not_measured.empty(); }
  /// Seconds on the phase's time axis: since the start of the first kept callback. Only of a measured phase.
  double since_first(SteadyTime at) const { return to_seconds(at - rows[1].wall_start); }
  /// The quota stopped it: then it is no run of a machine that has time.
  bool was_throttled() const { return environment.cgroup && environment.cgroup->nr_throttled > 0; }
};

/// Runs one phase in a context of its own, in the calling thread (and threads - 1 more). An Interrupt ends it
/// early; what ran until then is counted where it can be. A simulated phase has a clock process of its own;
/// when that dies, the phase ends and is not measured.
/// Errors: ClockDied when it dies before the phase could begin; SetupError when the scheduling is refused,
/// when no /clock comes in time, when the clock's log cannot be read, or when too few callbacks ran in the
/// whole length.
PhaseResult run_phase(const Phase& phase, const RunSetup& setup);

/// Joins the published misses with the causes that takt's verdict gives, by the number of the activation.
std::vector<CausedMiss> causes_of(const Counts& counts, const timing::Verdict& verdict);

/// How many of the misses have this cause.
std::size_t with_cause(const std::vector<CausedMiss>& misses, timing::Cause cause);

/// "own time off the CPU", and "blocked by the activation before" where a callback of one timer waited for
/// the last.
std::string words_of(timing::Cause cause);

}  // namespace takt::lab::deadlines
