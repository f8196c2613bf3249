// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "takt/core/time.hpp"

namespace takt::lab::deadlines {

/// What the control node writes down of one callback: both clocks at its start and at its end. Execution is
/// measured on the monotonic ("wall") clock, the grid lies on the timer's clock.
struct Row {
  SteadyTime wall_start{};
  ClockTime timer_start{};
  SteadyTime wall_end{};
  ClockTime timer_end{};
  bool injected = false;
};

/// The constants of the counting.
struct Rules {
  Duration period = std::chrono::milliseconds{10};
  Duration deadline = std::chrono::milliseconds{10};
  Duration jitter = std::chrono::microseconds{500};  ///< 5 % of the period
  Duration wall_budget = std::chrono::milliseconds{25};
};

/// Of a list of durations. p99 is nearest rank: index round(0.99 * (n - 1)), a half to the even neighbour.
struct Spread {
  double mean_ms = 0;
  double min_ms = 0;
  double p99_ms = 0;
  double max_ms = 0;
};

/// One kept callback as the published counting sees it.
struct Counted {
  std::size_t row = 0;     ///< index into the rows
  double at_s = 0;         ///< wall start since the first kept callback
  double interval_ms = 0;  ///< wall start since the callback before; 0 for the first kept one
  double lateness_ms = 0;  ///< on the timer's clock, against the grid that starts at the first kept callback
  double response_ms = 0;
  std::int64_t skipped = 0;  ///< periods that this callback's start let pass
  bool missed = false;
  bool injected = false;
};

/// The published quantities of one phase. `callbacks` and all else exclude the first callback.
struct Counts {
  std::size_t callbacks = 0;
  std::int64_t grid_periods_spanned = 0;
  std::int64_t skipped_periods = 0;
  std::size_t injected = 0;
  Spread interval_wall;
  double max_wall_interval_at_s = 0;
  Spread interval_timer;
  Spread start_lateness;
  double response_max_ms = 0;
  std::size_t deadline_misses = 0;
  std::size_t intervals_over_period = 0;
  std::size_t intervals_over_period_plus_jitter = 0;
  std::size_t intervals_over_budget = 0;
  double max_wall_interval_minus_deadline_ms = 0;
  std::optional<double> execution_timer_max_injected_ms;
  std::optional<double> execution_wall_max_injected_ms;
  double node_rtf = 0;  ///< timer span / wall span
  std::vector<Counted> kept;
};

/// Fewer say nothing of an interval: the first is dropped.
inline constexpr std::size_t kFewestRows = 3;

/// Counts a phase by the published rules (docs/formats/lab-deadlines.md): the first callback is dropped, the
/// grid starts at the second one's start on the timer's clock. Pure.
/// Errors: SetupError with fewer than three rows, of which no interval can be told.
Counts count(const std::vector<Row>& rows, const Rules& rules = {});

}  // namespace takt::lab::deadlines
