// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/phase.hpp"

#include <algorithm>
#include <cmath>

#include "takt/core/timer_grid.hpp"

namespace takt::lab::deadlines {
namespace {

double to_ns(Duration duration) { return static_cast<double>(duration.count()); }

}  // namespace

const Phase* find_phase(std::string_view name) noexcept {
  const auto* found =
      std::find_if(kPhases.begin(), kPhases.end(), [name](const Phase& phase) { return phase.name == name; });
  return found == kPhases.end() ? nullptr : found;
}

std::vector<Row> ideal_rows(const Phase& phase, Duration length) {
  const double stretch = phase.stretch();
  const auto on_timer = [stretch](Duration wall) { return Duration{std::llround(to_ns(wall) / stretch)}; };
  const auto on_wall = [stretch](ClockTime t) {
    return SteadyTime{Duration{std::llround(to_ns(t.time_since_epoch()) * stretch)}};
  };
  const ClockTime origin{};
  const ClockTime end = origin + on_timer(length);
  std::vector<Row> rows;
  ClockTime now = origin;
  for (ClockTime slot = grid::first(origin, kPeriod); slot <= end;) {
    const ClockTime start = std::max(now, slot);
    const bool injected = is_injected(phase, rows.size() + 1);
    now = start + (injected ? on_timer(kInjectedSleep) : Duration::zero());
    rows.push_back({.wall_start = on_wall(start),
                    .timer_start = start,
                    .wall_end = on_wall(now),
                    .timer_end = now,
                    .injected = injected});
    slot = grid::take(slot, kPeriod, OverrunPolicy::skip, start).next;
  }
  return rows;
}

}  // namespace takt::lab::deadlines
