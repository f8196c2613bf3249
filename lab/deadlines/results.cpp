// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/results.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lab/deadlines/lines.hpp"
#include "lab/deadlines/long_interval.hpp"

namespace takt::lab::deadlines {
namespace {

using Json = nlohmann::ordered_json;

std::string file_name(const Phase& phase, std::size_t run, const char* ending) {
  const auto number = run > 1 ? fmt::format("-{}", run) : "";
  return fmt::format("{}{}{}", phase.name, number, ending);
}

Json run_document(const Experiment& experiment, const Run& run) {
  auto phases = Json::array();
  for (const auto& phase : run.phases) phases.push_back(phase_document(phase.result));
  return {{"environment", environment_line(experiment.setup)},
          {"phases", std::move(phases)},
          {"verdict", run.verdict()},
          {"total_wall_s", to_seconds(run.length)}};
}

}  // namespace

const char* const kTwoCountings =
    "The published counting drops the first callback and starts its grid at the start of the second one, as "
    "the published script had to: rclpy tells a callback neither its slot nor that it is late. takt's own "
    "verdict keeps the timer's true grid and judges every activation. Skipped periods are never among the "
    "misses, in either.";

std::string plan_text(const std::vector<Phase>& phases, const RunSetup& setup, std::size_t runs) {
  std::string text = fmt::format(
      "# Plan\n\nWritten before the run. A timer of 10 ms whose deadline is its period runs for {:g} s a "
      "phase, on {} thread(s), scheduling: {}; {} run(s).\n"
      "In an injected phase every 50th callback (the 25th, 75th, ...) sleeps 22 ms on purpose. In a sim "
      "phase the timer lies\n"
      "on the time of /clock, which a process of its own publishes in steps of 1 ms; it is heard by {}.\n"
      "{}\n"
      "Predicted is what an ideal machine would do: each callback starts on its slot or when the one before "
      "has ended.\n"
      "Counts are predicted exactly (under /clock with a slot less, should the last one come after the end); "
      "an interval or a\n"
      "lateness within the range given, which leaves room for wake-ups. A phase that the CPU quota stops is "
      "not judged.\n"
      "Published are the lowest and highest values of five runs of rclpy (5 s a phase), in brackets those of "
      "runs that were\n"
      "disturbed.\n",
      to_seconds(setup.length), setup.threads, to_string(setup.scheduling), runs,
      setup.shared_clock_thread ? "the executor's thread" : "a thread of its own",
      setup.limits.empty() ? "" : fmt::format("All of it runs in {}.", setup.limits));
  for (const auto& phase : phases) {
    text +=
        fmt::format("\n## {}\n\n| quantity | predicted | published | why |\n|---|---|---|---|\n", phase.name);
    for (const auto& one : expectations_of(phase, setup)) {
      const auto prediction = prediction_of(one, {});
      text += fmt::format("| {} | {} | {} | {} |\n", prediction.quantity, prediction.predicted,
                          prediction.published, prediction.why);
    }
  }
  return text;
}

Json results_document(const Experiment& experiment) {
  auto runs = Json::array();
  for (const auto& run : experiment.runs) runs.push_back(run_document(experiment, run));
  auto predictions = Json::array();
  const auto count = experiment.runs.empty() ? 0 : experiment.runs.front().phases.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& one : experiment.runs.front().phases[i].expectations)
      predictions.push_back(to_json(one, experiment.results_of(i)));
  }
  Json body{{"sentence", experiment.sentence()},
            {"verdict", experiment.verdict()},
            {"partial", experiment.partial()},
            {"runs", std::move(runs)},
            {"predictions", std::move(predictions)},
            {"clock_readings", to_json(experiment.clock_readings)},
            {"deadline_qos", to_json(experiment.deadline_qos)}};
  return document(experiment.envelope, body);
}

std::string csv_name(const Phase& phase, std::size_t run) { return file_name(phase, run, ".csv"); }
std::string clock_name(const Phase& phase, std::size_t run) { return file_name(phase, run, "-clock.jsonl"); }
std::string quota_name(const Phase& phase, std::size_t run) { return file_name(phase, run, "-quota.csv"); }

std::string csv_of(const std::vector<Row>& rows) {
  std::string text = "activation,wall_start_ns,timer_start_ns,wall_end_ns,timer_end_ns,injected\n";
  std::size_t n = 0;
  for (const auto& row : rows) {
    text += fmt::format("{},{},{},{},{},{}\n", ++n, row.wall_start.time_since_epoch().count(),
                        row.timer_start.time_since_epoch().count(), row.wall_end.time_since_epoch().count(),
                        row.timer_end.time_since_epoch().count(), row.injected ? 1 : 0);
  }
  return text;
}

std::string csv_of(const std::vector<QuotaSample>& samples) {
  std::string text = "at_ns,nr_periods,nr_throttled,throttled_us,usage_us\n";
  for (const auto& sample : samples) {
    text +=
        fmt::format("{},{},{},{:.0f},{:.0f}\n", sample.at.time_since_epoch().count(), sample.usage.nr_periods,
                    sample.usage.nr_throttled, sample.usage.throttled_usec, sample.usage.usage_usec);
  }
  return text;
}

std::vector<Table> longest_tables(const Experiment& experiment) {
  std::vector<Table> tables;
  for (std::size_t i = 0; i < experiment.runs.size(); ++i) {
    Results results;
    for (const auto& phase : experiment.runs[i].phases) results.push_back(&phase.result);
    auto table = table_of_longest(results);
    if (experiment.runs.size() > 1) table.title += fmt::format(" (run {})", i + 1);
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

Table countings_table(const PhaseResult& result) {
  const Counts& counts = result.counts;
  const timing::Verdict& verdict = result.verdict;
  const char* judged = verdict.judgement == timing::Judgement::met      ? "MET"
                       : verdict.judgement == timing::Judgement::missed ? "MISSED"
                                                                        : "NOT JUDGED";
  const auto number = [](auto value) { return fmt::format("{}", value); };
  const auto ms = [](double value) { return fmt::format("{:.3f}", value); };
  return {
      .title = fmt::format("{}: two countings", result.phase.name),
      .columns = {{"", Align::left}, {"published rules"}, {"takt, true grid"}},
      .rows = {{"callbacks", number(counts.callbacks), number(verdict.activations)},
               {"deadline misses", number(counts.deadline_misses), number(verdict.misses)},
               {"skipped periods", number(counts.skipped_periods), number(verdict.skips)},
               {"largest lateness, ms", ms(counts.start_lateness.max_ms), ms(to_ms(verdict.lateness.max))},
               {"largest response, ms", ms(counts.response_max_ms), ms(to_ms(verdict.response.max))},
               {"longest interval, ms", ms(counts.interval_wall.max_ms), ms(to_ms(verdict.interval.max))},
               {"verdict", counts.deadline_misses == 0 ? "no miss" : "missed", judged}}};
}

}  // namespace takt::lab::deadlines
