// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/long_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;

/// A step of the clock that makes a start wait is no lateness.
constexpr Duration kStepAllowance = 1500us;
/// How far the clock's own account of a late step may be from the gap that it made.
constexpr Duration kStepsApart = 5ms;

/// A wall interval that ends with the start of rows[row].
struct Stretch {
  const PhaseResult& result;
  std::size_t row;

  const Row& before() const { return result.rows[row - 1]; }
  SteadyTime begin() const { return before().wall_start; }
  SteadyTime end() const { return result.rows[row].wall_start; }
  Duration length() const { return end() - begin(); }
  Duration expected() const {
    return Duration{std::llround(static_cast<double>(kPeriod.count()) * result.phase.stretch())};
  }
  Duration excess() const { return length() - expected(); }
};

std::string ms_text(Duration d) { return fmt::format("{:.1f} ms", to_ms(d)); }
std::string at_s_text(const Stretch& stretch, SteadyTime time) {
  return fmt::format("{:.3f} s", stretch.result.since_first(time));
}

/// takt's own finding about an activation, "" where it missed nothing (then none is kept).
std::string finding(const PhaseResult& result, std::size_t row) {
  for (const auto& miss : result.verdict.last_misses) {
    if (miss.index == row + 1) return fmt::format("{} ({})", words_of(miss.cause), miss.detail);
  }
  return "";
}

/// The time of [begin, end] in which the clock was silent for longer than a step.
Duration silent_within(const Stretch& s) {
  Duration sum{};
  for (const auto& gap : s.result.clock.gaps) {
    sum += std::max(Duration::zero(), std::min(gap.at, s.end()) - std::max(gap.begin(), s.begin()));
  }
  return sum;
}

/// The gap that covers most of the interval; null: none.
const ClockGap* longest_gap(const Stretch& s) {
  const ClockGap* longest = nullptr;
  for (const auto& gap : s.result.clock.gaps) {
    const bool inside = gap.at > s.begin() && gap.begin() < s.end();
    if (inside && (longest == nullptr || gap.length > longest->length)) longest = &gap;
  }
  return longest;
}

/// The step of the clock process that the gap ended with; null: its verdict keeps none.
const LateStep* step_of(const PhaseResult& result, const ClockGap& gap) {
  const LateStep* latest = nullptr;
  if (!result.clock.end) return nullptr;
  for (const auto& step : result.clock.end->late_steps) {
    const bool inside = step.at >= gap.begin() - kStepsApart && step.at <= gap.at + kStepsApart;
    if (inside && (latest == nullptr || step.response_ms > latest->response_ms)) latest = &step;
  }
  return latest;
}

std::string clock_detail(const Stretch& s) {
  const ClockGap* gap = longest_gap(s);
  if (gap == nullptr) return "";
  std::string text =
      fmt::format("the clock was silent for {} until {}", ms_text(gap->length), at_s_text(s, gap->at));
  const LateStep* step = step_of(s.result, *gap);
  if (step == nullptr) return text + "; the clock process keeps no cause of it";
  return text + fmt::format("; its own cause: {} ({})", step->cause, step->detail);
}

std::string throttled_detail(const Stretch& s) {
  return fmt::format("the CPU quota had the group stopped for {} of it",
                     ms_text(throttled_within(s.result.throttled, s.begin(), s.end())));
}

std::string control_detail(const Stretch& s) {
  const Duration ran = s.before().wall_end - s.before().wall_start;
  std::string text;
  if (ran > kStepAllowance) text = fmt::format("the callback before ran for {}; ", ms_text(ran));
  for (const std::size_t row : {s.row, s.row - 1}) {
    if (const auto found = finding(s.result, row); !found.empty()) return text + found;
  }
  return text + "it met its deadline, so that no cause is kept";
}

/// Who explains at least half of what is too much, in the order of who can hold up whom: the quota stops both
/// processes, and without the clock there is nothing to be late for.
Lengthened reason_of(const Stretch& s) {
  const Duration allowance = s.result.phase.simulated() ? kStepAllowance : Rules{}.jitter;
  if (s.excess() <= allowance) return Lengthened::ordinary;
  const Duration asleep = s.before().injected ? s.before().wall_end - s.before().wall_start : Duration{};
  if (asleep > Duration::zero() && s.length() - asleep <= allowance) return Lengthened::injected_sleep;
  const Duration half = (s.excess() - std::max(Duration::zero(), asleep - s.expected())) / 2;
  if (throttled_within(s.result.throttled, s.begin(), s.end()) >= half) return Lengthened::throttled;
  if (silent_within(s) >= half) return Lengthened::clock_late;
  return Lengthened::control_late;
}

std::string detail_of(const Stretch& s, Lengthened reason) {
  switch (reason) {
    case Lengthened::ordinary:
      return fmt::format("{:.3f} ms over the period", to_ms(s.excess()));
    case Lengthened::injected_sleep:
      return fmt::format("callback {} slept for {} on purpose", s.row,
                         ms_text(s.before().wall_end - s.before().wall_start));
    case Lengthened::throttled:
      return throttled_detail(s);
    case Lengthened::clock_late:
      return clock_detail(s);
    case Lengthened::control_late:
      return control_detail(s);
  }
  return "";
}

LongInterval explained(const Stretch& s) {
  const auto reason = reason_of(s);
  return {.at_s = s.result.since_first(s.end()),
          .interval_ms = to_ms(s.length()),
          .expected_ms = to_ms(s.expected()),
          .reason = reason,
          .detail = detail_of(s, reason)};
}

struct Names {
  const char* key;
  const char* words;
};

Names names_of(Lengthened reason) noexcept {
  switch (reason) {
    case Lengthened::ordinary:
      return {"ordinary", "nothing"};
    case Lengthened::injected_sleep:
      return {"injected_sleep", "the injected sleep"};
    case Lengthened::throttled:
      return {"throttled", "the CPU quota"};
    case Lengthened::clock_late:
      return {"clock_late", "the clock process was late"};
    case Lengthened::control_late:
      return {"control_late", "the control thread was late"};
  }
  return {"", ""};
}

}  // namespace

const char* key(Lengthened reason) noexcept { return names_of(reason).key; }
const char* words(Lengthened reason) noexcept { return names_of(reason).words; }

std::vector<LongInterval> long_intervals(const PhaseResult& result, std::size_t most) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 2; row < result.rows.size(); ++row) rows.push_back(row);
  std::ranges::stable_sort(rows, std::greater<>(), [&](std::size_t row) {
    return Stretch{result, row}.length();
  });
  std::vector<LongInterval> list;
  for (const auto row : rows) {
    const Stretch stretch{result, row};
    const bool is_longest = list.empty();
    if (list.size() == most || (!is_longest && stretch.length() <= Rules{}.wall_budget)) break;
    list.push_back(explained(stretch));
  }
  return list;
}

Table table_of_longest(const std::vector<const PhaseResult*>& results) {
  Table table{.title = "The longest interval of each phase: when, how long, what happened",
              .columns = {{"phase", Align::left},
                          {"at, s"},
                          {"interval, ms"},
                          {"period, ms"},
                          {"over 25 ms"},
                          {"what", Align::left},
                          {"detail", Align::left}}};
  for (const auto* result : results) {
    if (!result->measured()) continue;
    const auto list = long_intervals(*result, 1);
    if (list.empty()) continue;
    const auto& one = list.front();
    table.rows.push_back({std::string(result->phase.name), fmt::format("{:.3f}", one.at_s),
                          fmt::format("{:.3f}", one.interval_ms), fmt::format("{:g}", one.expected_ms),
                          std::to_string(result->counts.intervals_over_budget), words(one.reason),
                          one.detail});
  }
  return table;
}

}  // namespace takt::lab::deadlines
