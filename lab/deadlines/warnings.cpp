// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lab/common/environment.hpp"

namespace takt::lab::deadlines {
namespace {

constexpr double kWorthWarningBusyPct = 50;  // a clock process with 1000 steps a second needs some of a core

double busiest_core(const Environment& environment) {
  const auto& busy = environment.load.busy_pct;
  return busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
}

void warn(Envelope& envelope, std::string text) {
  if (std::ranges::find(envelope.warnings, text) == envelope.warnings.end())
    envelope.warnings.push_back(std::move(text));
}

/// Who else had the machine. The loops of --keep-awake and --hog are this program's own.
void warn_of_others(Envelope& envelope, const PhaseResult& result, const RunSetup& setup) {
  const auto name = result.phase.name;
  if (result.environment.steal_pct > kDisturbingStealPct) {
    warn(envelope,
         fmt::format("the hypervisor took {:.1f} % of the CPU time during {}: late wake-ups may be its doing",
                     result.environment.steal_pct, name));
  }
  const double busy = busiest_core(result.environment);
  if (!setup.keep_awake && !setup.hog && busy > kWorthWarningBusyPct) {
    warn(envelope,
         fmt::format("a core was busy for {:.0f} % of {}: late wake-ups may be the doing of what ran there",
                     busy, name));
  }
}

void warn_of_instruments(Envelope& envelope, const PhaseResult& result) {
  if (result.measured() && !result.environment.cgroup)
    warn(envelope, "no cgroup CPU controller here: cgroup_cpu_delta is null");
  if (const auto& end = result.clock.end; end && end->lost_events > 0) {
    warn(envelope,
         fmt::format("the log of the clock process lost {} entries during {}: a silence of /clock that "
                     "it does not have is told as lateness of the control thread",
                     end->lost_events, result.phase.name));
  }
}

}  // namespace

void warn_of(Envelope& envelope, const PhaseResult& result, const RunSetup& setup) {
  const auto name = result.phase.name;
  warn_of_others(envelope, result, setup);
  if (result.was_throttled()) {
    const auto& group = *result.environment.cgroup;
    warn(envelope,
         fmt::format("the CPU quota stopped this process {} times, for {:.0f} us together, during {}: "
                     "its predictions are of a machine that has time, and are not judged",
                     group.nr_throttled, group.throttled_usec, name));
  }
  warn_of_instruments(envelope, result);
  if (!result.measured()) {
    warn(envelope, fmt::format("{} was not measured: {}", name, result.not_measured));
  } else if (result.interrupted) {
    warn(envelope,
         fmt::format("{} was ended early by the user, after {:.1f} s: its figures are of a shorter run "
                     "and are not judged",
                     name, to_seconds(result.length)));
  }
}

void warn_of_runs(Envelope& envelope, std::size_t runs, std::size_t wanted) {
  if (runs < wanted) warn(envelope, fmt::format("{} of {} runs were made", runs, wanted));
}

void warn_of_limits(Envelope& envelope, const RunSetup& setup, const QuotaGroup& group) {
  if (group.version() == 1) return;
  if (setup.keep_awake) warn(envelope, "the loops that keep the cores awake count against the CPU quota");
  if (is_real_time(setup.scheduling))
    warn(envelope,
         "the kernel exempts SCHED_FIFO threads from a CPU quota: the clock process alone is held to it");
}

}  // namespace takt::lab::deadlines
