// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/phase.hpp"

#include <algorithm>

#include "takt/core/timer_grid.hpp"

namespace takt::lab::deadlines {

const Phase* find_phase(std::string_view name) noexcept {
  const auto* found =
      std::find_if(kPhases.begin(), kPhases.end(), [name](const Phase& phase) { return phase.name == name; });
  return found == kPhases.end() ? nullptr : found;
}

std::vector<Row> ideal_rows(const Phase& phase, Duration length) {
  const ClockTime origin{};
  std::vector<Row> rows;
  ClockTime now = origin;
  ClockTime slot = grid::first(origin, kPeriod);
  while (slot <= origin + length) {
    const ClockTime start = std::max(now, slot);
    const bool injected = is_injected(phase, rows.size() + 1);
    now = start + (injected ? kInjectedSleep : Duration::zero());
    rows.push_back({.wall_start = SteadyTime{start.time_since_epoch()},
                    .timer_start = start,
                    .wall_end = SteadyTime{now.time_since_epoch()},
                    .timer_end = now,
                    .injected = injected});
    slot = grid::take(slot, kPeriod, OverrunPolicy::skip, start).next;
  }
  return rows;
}

}  // namespace takt::lab::deadlines
