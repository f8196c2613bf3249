// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/timeline.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <utility>

namespace takt::lab::deadlines {
namespace {

/// Shorter ones hold no callback up that matters, and would hide the others.
constexpr Duration kShownSilence = std::chrono::milliseconds{5};

/// Which series a callback belongs to: "met the deadline", or the cause of its miss.
std::string label_of(const Counted& kept, const PhaseResult& result) {
  if (!kept.missed) return "met the deadline";
  for (const auto& miss : result.misses) {
    if (miss.activation == kept.row + 1) return "missed: " + words_of(miss.cause);
  }
  return "missed";
}

std::vector<Span> spans_of(const PhaseResult& result) {
  std::vector<Span> spans;
  for (const auto& one : result.throttled) {
    spans.push_back({.label = "stopped by the CPU quota",
                     .from_s = result.since_first(one.begin),
                     .to_s = result.since_first(one.end)});
  }
  for (const auto& gap : result.clock.gaps) {
    if (gap.length < kShownSilence) continue;
    spans.push_back({.label = "the clock was silent for 5 ms or more",
                     .from_s = result.since_first(gap.begin()),
                     .to_s = result.since_first(gap.at)});
  }
  return spans;
}

Chart panel(const PhaseResult& result, std::string title, std::string quantity) {
  const double last = result.counts.kept.back().at_s;
  return {.kind = Chart::Kind::over_time,
          .title = std::move(title),
          .quantity = std::move(quantity),
          .linear = true,
          .seconds = std::ceil(last * 10) / 10,
          .spans = spans_of(result)};
}

/// One quantity over the run, in one series for the callbacks that met and one for each cause of a miss.
Chart callbacks_panel(const PhaseResult& result, std::string title, std::string quantity,
                      double Counted::*value) {
  auto chart = panel(result, std::move(title), std::move(quantity));
  std::map<std::string, std::size_t> positions;
  for (const auto& kept : result.counts.kept) {
    if (kept.row == 1) continue;  // has no interval
    const auto label = label_of(kept, result);
    const auto [position, is_new] = positions.try_emplace(label, chart.series.size());
    if (is_new) chart.series.push_back({.label = label, .tone = kept.missed ? Tone::bad : Tone::good});
    auto& series = chart.series[position->second];
    series.values.push_back(kept.*value);
    series.at_s.push_back(kept.at_s);
  }
  return chart;
}

Chart intervals_panel(const PhaseResult& result) {
  auto chart =
      callbacks_panel(result, "Interval between starts (wall time)", "interval, ms", &Counted::interval_ms);
  const double period = to_ms(kPeriod) * result.phase.stretch();
  chart.marks = {{result.phase.simulated() ? "period in wall time" : "period = deadline", period}};
  if (result.phase.simulated() && result.phase.target_rtf < 1)
    chart.marks.push_back({"wall budget", to_ms(Rules{}.wall_budget)});
  if (result.phase.inject) {
    chart.note =
        "An injected callback starts in time: its miss shows in its response, and in the interval of the "
        "next "
        "one.";
  }
  return chart;
}

Chart responses_panel(const PhaseResult& result) {
  auto chart = callbacks_panel(result, "Response (lateness on the timer's clock + execution)", "response, ms",
                               &Counted::response_ms);
  chart.marks = {{"deadline", to_ms(kPeriod)}};
  return chart;
}

Chart factors_panel(const PhaseResult& result) {
  auto chart = panel(result, "Real time factor of the clock's publisher, windows of 100 ms", "factor");
  Series series{.label = "real time factor", .tone = Tone::neutral, .joined = true};
  for (const auto& window : result.rtf->windows) {
    for (const SteadyTime at : {window.begin, window.end}) {
      series.values.push_back(window.factor);
      series.at_s.push_back(result.since_first(at));
    }
  }
  chart.series.push_back(std::move(series));
  chart.marks = {{"target", result.phase.target_rtf}};
  return chart;
}

}  // namespace

std::vector<Chart> timeline_of(const PhaseResult& result) {
  std::vector<Chart> charts{intervals_panel(result), responses_panel(result)};
  if (result.rtf) charts.push_back(factors_panel(result));
  return charts;
}

}  // namespace takt::lab::deadlines
