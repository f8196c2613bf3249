// SPDX-License-Identifier: Apache-2.0
#include "lab/common/report.hpp"

#include <fmt/format.h>

#include <utility>

#include "lab/priority/experiment.hpp"

namespace takt::lab::priority {
namespace {

using Values = std::vector<double> Samples::*;

Series series_of(const RunResult& run, std::string_view name, std::string label, Tone tone, Values values,
                 Values at_s) {
  Series series{.label = std::move(label), .tone = tone};
  if (const auto found = run.samples.find(name); found != run.samples.end()) {
    series.values = found->second.*values;
    series.at_s = found->second.*at_s;
  }
  return series;
}

/// One quantity of a callback (or the chain) in both schedulings.
void add_both(Chart& chart, const Experiment& experiment, int design, std::string_view name, Values values,
              Values at_s) {
  for (const bool real_time : {true, false}) {
    const auto* run = experiment.find(design, real_time);
    if (run == nullptr || !run->ran()) continue;
    auto series =
        series_of(*run, name, scheduling_text(run->plan), real_time ? Tone::good : Tone::bad, values, at_s);
    if (!series.values.empty()) chart.series.push_back(std::move(series));
  }
}

void add_chart(Report& report, const Chart& chart) {
  if (!chart.series.empty()) report.chart(chart);
}

void add_pipeline(Report& report, const Experiment& experiment) {
  report.table(comparison_table(experiment));
  Chart spread{.kind = Chart::Kind::distribution,
               .title = "How often the pipeline takes how long",
               .quantity = "end to end, ms",
               .marks = {{"work 7.2", kPipelineWorkMs},
                         {"published p99 FIFO 7.36", kPublishedRealTime.p99},
                         {"deadline 10", 10},
                         {"published p99 default 22.26", kPublishedNormal.p99}},
               .note =
                   "Read: at a height of 1 in 100, the curve is at the 99th percentile; its foot is the "
                   "maximum. Both axes are "
                   "logarithmic."};
  add_both(spread, experiment, 3, kChain, &Samples::execution_ms, &Samples::execution_at_s);
  add_chart(report, spread);
  Chart over_time{
      .kind = Chart::Kind::over_time,
      .title = "The pipeline over the run",
      .quantity = "end to end, ms",
      .marks = {{"deadline", 10}},
      .note = "The two schedulings ran one after the other; their times are laid over each other here."};
  add_both(over_time, experiment, 3, kChain, &Samples::execution_ms, &Samples::execution_at_s);
  add_chart(report, over_time);
  Chart period{.kind = Chart::Kind::distribution,
               .title = "Period of the sensor's callback",
               .quantity = "period, ms"};
  add_both(period, experiment, 3, "sensor_driver/scan", &Samples::period_ms, &Samples::period_at_s);
  add_chart(report, period);
}

/// Designs 1 and 2: the compared callbacks, in the run with priority and, fainter in words, in the one
/// without.
void add_compared(Report& report, const Experiment& experiment, const DesignFacts& design) {
  const auto* with_priority = experiment.find(design.number, true);
  if (with_priority != nullptr && with_priority->used()) report.paragraph(compared_sentence(*with_priority));
  const auto chart_of = [&](std::string title, std::string quantity, Values values, Values at_s) {
    Chart chart{
        .kind = Chart::Kind::distribution, .title = std::move(title), .quantity = std::move(quantity)};
    for (const bool real_time : {true, false}) {
      const auto* run = experiment.find(design.number, real_time);
      if (run == nullptr || !run->ran()) continue;
      const auto scheduling = real_time ? scheduling_text(run->plan) : "default priority too";
      const auto critical = std::string(design.compared_critical);
      const auto other = std::string(design.compared_other);
      chart.series.push_back(series_of(*run, critical, fmt::format("{} ({})", critical, scheduling),
                                       real_time ? Tone::good : Tone::neutral, values, at_s));
      chart.series.push_back(series_of(
          *run, other, fmt::format("{} (default priority{})", other, real_time ? "" : "; the other as well"),
          real_time ? Tone::bad : Tone::neutral, values, at_s));
    }
    return chart;
  };
  add_chart(report, chart_of("Execution of two callbacks with the same work", "execution, ms",
                             &Samples::execution_ms, &Samples::execution_at_s));
  add_chart(report,
            chart_of("Period of the same two", "period, ms", &Samples::period_ms, &Samples::period_at_s));
}

void add_runs(Report& report, const Experiment& experiment, const DesignFacts& design) {
  for (const bool real_time : {true, false}) {
    const auto* run = experiment.find(design.number, real_time);
    if (run == nullptr) continue;
    if (!run->ran()) {
      report.paragraph(fmt::format("{}: NOT JUDGED. {}", name_of(run->plan), run->refused));
      continue;
    }
    if (!run->used()) report.paragraph(fmt::format("{} is not used: {}.", name_of(run->plan), run->not_used));
    report.table(callbacks_table(*run));
    report.table(verdicts_table(*run));
  }
}

std::string subtitle(const Experiment& experiment) {
  const auto& plan = experiment.plans.front();
  return fmt::format("takt lab priority, {}; each run {:g} s; {}; work on {}{}",
                     experiment.envelope.started_at, to_seconds(plan.length),
                     plan.load == LoadKind::none ? "no load" : "stress-ng on every core",
                     plan.work == WorkKind::wall ? "wall time" : "CPU time",
                     experiment.partial ? "; ended early by the user" : "");
}

}  // namespace

std::string report_html(const Experiment& experiment) {
  Report report("Real-time priority in three designs", subtitle(experiment));
  report.verdict(verdict_sentence(experiment), all_predictions_met(experiment) ? Tone::good : Tone::neutral);
  for (const auto& warning : experiment.envelope.warnings) report.paragraph("Note: " + warning);
  report.table(table_of(experiment.predictions));
  for (auto design = all_designs().rbegin(); design != all_designs().rend(); ++design) {
    if (experiment.find(design->number, true) == nullptr && experiment.find(design->number, false) == nullptr)
      continue;
    report.heading(fmt::format("Design {}: {}", design->number, design->title));
    if (design->compared_critical.empty()) {
      add_pipeline(report, experiment);
    } else {
      add_compared(report, experiment, *design);
    }
    add_runs(report, experiment, *design);
  }
  report.heading("How it was measured");
  report.paragraph(
      "Two executors: critical callbacks run on one of their own (one thread; three in design 3), all else "
      "on one ordinary thread. "
      "Each run has a load and a timing of its own; its first half second is not measured.");
  report.environment(experiment.envelope.environment);
  report.command(shell_line(experiment.envelope.command));
  std::vector<std::string> files = {"plan.md", "results.json"};
  for (const auto& run : experiment.results) {
    if (run.ran()) files.push_back(file_stem(run.plan) + ".csv");
  }
  report.files(files);
  return report.html();
}

}  // namespace takt::lab::priority
