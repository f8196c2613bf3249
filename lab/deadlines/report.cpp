// SPDX-License-Identifier: Apache-2.0
#include "lab/common/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/deadlines/results.hpp"
#include "lab/deadlines/timeline.hpp"

namespace takt::lab::deadlines {
namespace {

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

std::string clock_text(const PhaseResult& result) {
  if (!result.rtf) return "";
  const auto& rtf = *result.rtf;
  return fmt::format(
      " The clock process kept a real time factor of {:.4g} ({:.4g} to {:.4g} in windows of 100 ms), the "
      "node saw {:.4g}; {} silences, {:.1f} ms lost.",
      rtf.whole, rtf.least, rtf.most, result.counts.node_rtf, result.clock.gaps.size(),
      result.clock.end ? result.clock.end->dropped_ms : 0);
}

std::string quota_text(const PhaseResult& result) {
  const auto& group = result.environment.cgroup;
  if (!group) return " No CPU quota is known here.";
  if (!group->quota) return " No CPU quota: nothing was throttled.";
  return fmt::format(" CPU quota {:g}: throttled in {} of {} periods, {:.1f} ms.", *group->quota,
                     group->nr_throttled, group->nr_periods, group->throttled_usec / 1000);
}

void add_timeline(Report& report, const PhaseResult& result) {
  report.heading(fmt::format("{}: one time axis", result.phase.name));
  report.paragraph((result.phase.inject
                        ? "Every 50th callback sleeps 22 ms on purpose, more than two periods."
                        : "Nothing is injected.") +
                   clock_text(result) + quota_text(result));
  for (const auto& chart : timeline_of(result)) report.chart(chart);
}

void add_phase(Report& report, const PhaseResult& result, const PhaseResult* shown) {
  if (!result.measured()) {
    report.heading(std::string(result.phase.name));
    return report.paragraph("Not measured: " + result.not_measured + ".");
  }
  if (&result == shown) {
    report.heading(fmt::format("{}: figures", result.phase.name));
  } else {
    add_timeline(report, result);
  }
  report.table(countings_table(result));
  if (!result.misses.empty()) report.table(misses_table(result));
}

/// One for each phase.
void add_verdicts(Report& report, const Experiment& experiment) {
  const auto text = experiment.verdict("\n");
  const auto tone = experiment.as_predicted() ? Tone::good : Tone::neutral;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    report.verdict(text.substr(begin, end - begin), tone);
    begin = end + 1;
  }
}

std::vector<std::string> files_of(const Experiment& experiment) {
  std::vector<std::string> files{"plan.md", "results.json"};
  for (std::size_t i = 0; i < experiment.runs.size(); ++i) {
    for (const auto& phase : experiment.runs[i].phases) {
      const auto& result = phase.result;
      if (!result.rows.empty()) files.push_back(csv_name(result.phase, i + 1));
      if (!result.clock_text.empty()) files.push_back(clock_name(result.phase, i + 1));
      if (!result.quota.empty()) files.push_back(quota_name(result.phase, i + 1));
    }
  }
  return files;
}

}  // namespace

std::string report_html(const Experiment& experiment) {
  Report report("Did the control loop meet its deadline?",
                "A 100 Hz timer on the wall clock and on a simulated clock, with and without injected stops; "
                "measured beside the published figures");
  report.verdict(experiment.sentence(), Tone::neutral);
  const PhaseResult* shown = experiment.shown();
  if (shown != nullptr) add_timeline(report, *shown);
  report.heading("Predicted, measured, published");
  add_verdicts(report, experiment);
  for (const auto& warning : experiment.envelope.warnings) report.paragraph("Note: " + warning);
  report.table(table_of(predictions_of(experiment)));
  report.paragraph(kTwoCountings);
  for (const auto& table : longest_tables(experiment)) report.table(table);
  if (!experiment.clock_readings.empty()) report.table(table_of(experiment.clock_readings));
  if (!experiment.deadline_qos.empty()) report.table(table_of(experiment.deadline_qos));
  if (experiment.runs.size() > 1) report.paragraph("What follows is of the first run.");
  if (!experiment.runs.empty()) {
    for (const auto& phase : experiment.runs.front().phases) add_phase(report, phase.result, shown);
  }
  report.environment(experiment.envelope.environment);
  report.command(shell_line(experiment.envelope.command));
  report.files(files_of(experiment));
  return report.html();
}

}  // namespace takt::lab::deadlines
