// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/counting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "takt/core/error.hpp"

namespace takt::lab::deadlines {
namespace {

Spread spread_of(std::vector<Duration> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::nearbyint(0.99 * (n - 1)));
  const auto sum = std::accumulate(values.begin(), values.end(), Duration{});
  return {to_ms(sum) / n, to_ms(values.front()), to_ms(values[rank]), to_ms(values.back())};
}

std::size_t count_above(const std::vector<Duration>& values, Duration limit) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [limit](Duration value) { return value > limit; }));
}

void raise(std::optional<double>& maximum, Duration value) {
  maximum = std::max(maximum.value_or(to_ms(value)), to_ms(value));
}

/// Rules 2 and 3: walks the grid along the starts.
class Grid {
 public:
  Grid(ClockTime origin, Duration period) : expected_(origin), period_(period) {}

  ClockTime expected() const { return expected_; }
  /// Moves on from a callback that started at `start`; how many periods it let pass.
  std::int64_t pass(ClockTime start) {
    expected_ += period_;
    if (expected_ > start) return 0;
    const std::int64_t ahead = 1 + (start - expected_) / period_;
    expected_ += ahead * period_;
    return ahead;
  }

 private:
  ClockTime expected_;
  Duration period_;
};

}  // namespace

Counts count(const std::vector<Row>& rows, const Rules& rules) {
  if (rows.size() < kFewestRows) {
    throw SetupError("only " + std::to_string(rows.size()) + " callbacks ran, and three are needed to count",
                     "measure longer (--seconds)");
  }
  const Row& first = rows[1];
  const Row& last = rows.back();
  Counts counts;
  counts.callbacks = rows.size() - 1;
  counts.kept.reserve(counts.callbacks);
  Grid grid(first.timer_start, rules.period);
  std::vector<Duration> wall_intervals;
  std::vector<Duration> timer_intervals;
  std::vector<Duration> lateness;
  Duration longest_response = Duration::min();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Row& row = rows[i];
    Counted kept{.row = i, .at_s = to_seconds(row.wall_start - first.wall_start), .injected = row.injected};
    if (i > 1) {
      wall_intervals.push_back(row.wall_start - rows[i - 1].wall_start);
      timer_intervals.push_back(row.timer_start - rows[i - 1].timer_start);
      kept.interval_ms = to_ms(wall_intervals.back());
    }
    const Duration late = row.timer_start - grid.expected();
    const Duration execution = row.wall_end - row.wall_start;
    const Duration response = late + execution;
    lateness.push_back(late);
    longest_response = std::max(longest_response, response);
    kept.lateness_ms = to_ms(late);
    kept.response_ms = to_ms(response);
    kept.missed = response > rules.deadline;
    kept.skipped = grid.pass(row.timer_start);
    counts.deadline_misses += kept.missed ? 1 : 0;
    counts.skipped_periods += kept.skipped;
    if (row.injected) {
      ++counts.injected;
      raise(counts.execution_timer_max_injected_ms, row.timer_end - row.timer_start);
      raise(counts.execution_wall_max_injected_ms, execution);
    }
    counts.kept.push_back(kept);
  }
  const Duration timer_span = last.timer_start - first.timer_start;
  const Duration wall_span = last.wall_start - first.wall_start;
  counts.grid_periods_spanned = std::lrint(to_ms(timer_span) / to_ms(rules.period));
  counts.node_rtf = wall_span > Duration::zero() ? to_ms(timer_span) / to_ms(wall_span) : 0;
  counts.interval_wall = spread_of(wall_intervals);
  counts.interval_timer = spread_of(timer_intervals);
  counts.start_lateness = spread_of(lateness);
  counts.response_max_ms = to_ms(longest_response);
  counts.intervals_over_period = count_above(wall_intervals, rules.period);
  counts.intervals_over_period_plus_jitter = count_above(wall_intervals, rules.period + rules.jitter);
  counts.intervals_over_budget = count_above(wall_intervals, rules.wall_budget);
  const auto longest = std::max_element(wall_intervals.begin(), wall_intervals.end());
  const auto longest_row = static_cast<std::size_t>(longest - wall_intervals.begin()) + 2;
  counts.max_wall_interval_at_s = to_seconds(rows[longest_row].wall_start - first.wall_start);
  counts.max_wall_interval_minus_deadline_ms = to_ms(*longest - rules.deadline);
  return counts;
}

}  // namespace takt::lab::deadlines
