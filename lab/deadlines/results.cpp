// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/deadlines/lines.hpp"

namespace takt::lab::deadlines {

const char* const kTwoCountings =
    "The published counting drops the first callback and starts its grid at the start of the second one, as "
    "the published "
    "script had to: rclpy tells a callback neither its slot nor that it is late. takt's own verdict keeps "
    "the timer's true "
    "grid and judges every activation. Skipped periods are never among the misses, in either.";

std::string Experiment::verdict() const {
  std::string text;
  for (const auto& phase : phases) {
    text += (text.empty() ? "" : "; ") + summary_of(phase.expectations, phase.result);
  }
  return text + ".";
}

bool Experiment::as_predicted() const {
  for (const auto& phase : phases) {
    if (!deadlines::as_predicted(phase.expectations, phase.result)) return false;
  }
  return true;
}

bool Experiment::partial() const {
  return std::any_of(phases.begin(), phases.end(), [](const JudgedPhase& phase) {
    return phase.result.interrupted || !phase.result.measured();
  });
}

std::string plan_text(const std::vector<Phase>& phases, const RunSetup& setup) {
  std::string text = fmt::format(
      "# Plan\n\nWritten before the run. A timer of 10 ms whose deadline is its period runs for {:g} s a "
      "phase, on {} thread(s), "
      "scheduling: {}.\nIn an injected phase every 50th callback (the 25th, 75th, ...) sleeps 22 ms on "
      "purpose.\n\n"
      "Predicted is what an ideal machine would do: each callback starts on its slot or when the one before "
      "has ended.\n"
      "Counts are predicted exactly; an interval or a lateness within the range given, which leaves room for "
      "wake-ups.\n"
      "Published are the lowest and highest values of five runs of rclpy (5 s a phase).\n",
      to_seconds(setup.length), setup.threads, to_string(setup.scheduling));
  for (const auto& phase : phases) {
    text +=
        fmt::format("\n## {}\n\n| quantity | predicted | published | why |\n|---|---|---|---|\n", phase.name);
    for (const auto& one : expectations_of(phase, setup.length)) {
      const auto prediction = prediction_of(one, nullptr);
      text += fmt::format("| {} | {} | {} | {} |\n", prediction.quantity, prediction.predicted,
                          prediction.published, prediction.why);
    }
  }
  return text;
}

nlohmann::ordered_json results_document(const Experiment& experiment) {
  auto phases = nlohmann::ordered_json::array();
  auto predictions = nlohmann::ordered_json::array();
  for (const auto& phase : experiment.phases) {
    phases.push_back(phase_document(phase.result));
    for (const auto& one : phase.expectations) predictions.push_back(to_json(one, phase.result));
  }
  nlohmann::ordered_json run{
      {"environment", environment_line(experiment.setup, experiment.envelope.environment.keep_awake)},
      {"phases", std::move(phases)}};
  nlohmann::ordered_json body{{"verdict", experiment.verdict()},
                              {"partial", experiment.partial()},
                              {"runs", nlohmann::ordered_json::array({std::move(run)})},
                              {"predictions", std::move(predictions)}};
  return document(experiment.envelope, body);
}

std::string csv_name(const Phase& phase) { return std::string(phase.name) + ".csv"; }

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
