// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lab/common/interrupt.hpp"
#include "lab/common/progress_bar.hpp"
#include "lab/common/shortage.hpp"
#include "lab/deadlines/lines.hpp"
#include "lab/deadlines/warnings.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::deadlines {
namespace {

/// A phase that did not run because the ones before it ended early.
PhaseResult not_begun(const Phase& phase, std::string why, bool by_the_user) {
  PhaseResult result{.phase = phase};
  result.interrupted = by_the_user;
  result.not_measured = std::move(why);
  return result;
}

void print_phase(Console& console, const JudgedPhase& phase) {
  console.print("");
  std::vector<Prediction> predictions;
  for (const auto& one : phase.expectations) predictions.push_back(prediction_of(one, {&phase.result}));
  console.print(table_of(predictions));
  if (phase.result.measured()) console.print(countings_table(phase.result));
}

void write_raw(const OutputDir& out, const PhaseResult& result, std::size_t run) {
  if (!result.rows.empty()) out.write(csv_name(result.phase, run), csv_of(result.rows));
  if (!result.clock_text.empty()) out.write(clock_name(result.phase, run), result.clock_text);
  if (!result.quota.empty()) out.write(quota_name(result.phase, run), csv_of(result.quota));
}

SteadyTime steady_now() { return SteadyClock::instance()->steady_now(); }

}  // namespace

void Session::try_limits() {
  if (!limits.any()) return;
  const QuotaGroup group(limits);
  experiment.setup.limits = group.description();
  warn_of_limits(experiment.envelope, experiment.setup, group);
}

PhaseResult Session::run_with_progress(const Phase& phase, Console& console) const {
  if (Interrupt::requested()) return not_begun(phase, "ended by the user before it began", true);
  const ProgressBar bar(console, phase.name, experiment.setup.length);
  return run_phase(phase, experiment.setup);
}

std::exception_ptr Session::run_phases(Run& run, const OutputDir& out, Console& console) {
  const auto number = experiment.runs.size();
  std::exception_ptr failure;
  for (const auto& phase : phases) {
    JudgedPhase judged{.expectations = expectations_of(phase, experiment.setup), .result = {}};
    try {
      judged.result =
          failure ? not_begun(phase, "the one before it failed", false) : run_with_progress(phase, console);
    } catch (const std::exception& error) {
      if (number == 1 && run.phases.empty()) throw;
      failure = std::current_exception();
      judged.result = not_begun(phase, lab::words_of(error), false);
    }
    warn_of(experiment.envelope, judged.result);
    write_raw(out, judged.result, number);
    console.json_line(phase_line(judged.result));
    print_phase(console, judged);
    run.phases.push_back(std::move(judged));
  }
  return failure;
}

std::exception_ptr Session::run(std::size_t runs, const OutputDir& out, Console& console) {
  std::exception_ptr failure;
  for (std::size_t i = 0; i < runs && !failure && !Interrupt::requested(); ++i) {
    if (runs > 1) console.print(fmt::format("\nRun {} of {}", i + 1, runs));
    const SteadyTime begin = steady_now();
    Run& run = experiment.runs.emplace_back();
    {
      std::optional<QuotaGroup> group;
      if (limits.any()) group.emplace(limits);
      experiment.setup.group = group ? &*group : nullptr;
      std::optional<Hog> hog;
      if (experiment.setup.hog) hog.emplace();
      console.json_line(environment_line(experiment.setup));
      failure = run_phases(run, out, console);
      if (i == 0 && !failure) read_clocks();
      if (i == 0 && !failure && phases.size() == kPhases.size())
        experiment.deadline_qos = watch_deadline_qos();
      experiment.setup.group = nullptr;
    }
    run.length = steady_now() - begin;
    experiment.envelope.duration += run.length;
    out.write("results.json", results_document(experiment).dump(2) + "\n");
    console.json_line(done_line(run.length, run.verdict(), (out / "results.json").string(), run.partial()));
  }
  return failure;
}

void Session::read_clocks() {
  const bool shared = experiment.setup.shared_clock_thread;
  for (const auto& phase : experiment.runs.front().phases) {
    const auto reading = reading_of(phase.result, shared);
    if (!reading || phase.result.interrupted || Interrupt::requested()) continue;
    experiment.clock_readings = {*reading, read_clock(experiment.setup, !shared)};
  }
}

}  // namespace takt::lab::deadlines
