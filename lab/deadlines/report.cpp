// SPDX-License-Identifier: Apache-2.0
#include "lab/common/report.hpp"

#include <fmt/format.h>

#include <map>

#include "lab/deadlines/results.hpp"

namespace takt::lab::deadlines {
namespace {

/// Which series a callback belongs to: "met its deadline", or the cause of its miss.
std::string label_of(const Counted& kept, const PhaseResult& result) {
  if (!kept.missed) return "met the deadline";
  for (const auto& miss : result.misses) {
    if (miss.activation == kept.row + 1) return "missed: " + words_of(miss.cause);
  }
  return "missed";
}

/// One quantity over the run, in one series for the callbacks that met and one for each cause of a miss.
Chart timeline(const PhaseResult& result, std::string title, std::string quantity, double Counted::*value) {
  Chart chart{.kind = Chart::Kind::over_time,
              .title = std::move(title),
              .quantity = std::move(quantity),
              .linear = true};
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

Table misses_table(const PhaseResult& result) {
  Table table{
      .title = fmt::format("{}: every miss and its cause", result.phase.name),
      .columns = {
          {"activation"}, {"at, s"}, {"response, ms"}, {"cause", Align::left}, {"detail", Align::left}}};
  for (const auto& miss : result.misses) {
    table.rows.push_back({std::to_string(miss.activation), fmt::format("{:.3f}", miss.at_s),
                          fmt::format("{:.3f}", miss.response_ms), words_of(miss.cause), miss.detail});
  }
  return table;
}

void add_phase(Report& report, const JudgedPhase& phase) {
  const PhaseResult& result = phase.result;
  report.heading(std::string(result.phase.name));
  report.paragraph(result.phase.inject ? "Every 50th callback sleeps 22 ms on purpose, more than two periods."
                                       : "Nothing is injected.");
  if (!result.measured()) return report.paragraph("Not measured: " + result.not_measured + ".");
  auto intervals =
      timeline(result, "Interval between starts, over the run", "interval, ms", &Counted::interval_ms);
  intervals.marks = {{"period = deadline", to_ms(kPeriod)}};
  intervals.note =
      "An injected callback starts in time: its miss shows in its response, and in the interval of the next "
      "one.";
  if (!result.phase.inject) intervals.note.clear();
  report.chart(intervals);
  auto responses = timeline(result, "Response (lateness + execution), over the run", "response, ms",
                            &Counted::response_ms);
  responses.marks = {{"deadline", to_ms(kPeriod)}};
  report.chart(responses);
  report.table(countings_table(result));
  if (!result.misses.empty()) report.table(misses_table(result));
}

}  // namespace

std::string report_html(const Experiment& experiment) {
  Report report("Did the control loop meet its deadline?",
                "A 100 Hz timer on the wall clock, with and without injected stops; measured beside the "
                "published figures");
  report.verdict(experiment.verdict(), experiment.as_predicted() ? Tone::good : Tone::neutral);
  for (const auto& warning : experiment.envelope.warnings) report.paragraph("Note: " + warning);
  std::vector<Prediction> predictions;
  for (const auto& phase : experiment.phases) {
    for (const auto& one : phase.expectations) predictions.push_back(prediction_of(one, &phase.result));
  }
  report.table(table_of(predictions));
  report.paragraph(kTwoCountings);
  for (const auto& phase : experiment.phases) add_phase(report, phase);
  report.environment(experiment.envelope.environment);
  report.command(shell_line(experiment.envelope.command));
  std::vector<std::string> files{"plan.md", "results.json"};
  for (const auto& phase : experiment.phases) {
    if (!phase.result.rows.empty()) files.push_back(csv_name(phase.result.phase));
  }
  report.files(files);
  return report.html();
}

}  // namespace takt::lab::deadlines
