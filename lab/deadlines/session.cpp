// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lab/common/environment.hpp"
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

/// The limits that a run is held to, and the hog beside it. Errors: CannotMeasure.
class Confinement {
 public:
  Confinement(const GroupLimits& limits, RunSetup& setup) : setup_(setup) {
    if (limits.any()) group_.emplace(limits);
    if (setup.hog) hog_.emplace();
    setup_.group = group_ ? &*group_ : nullptr;
  }
  ~Confinement() { setup_.group = nullptr; }
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

 private:
  RunSetup& setup_;
  std::optional<QuotaGroup> group_;
  std::optional<Hog> hog_;
};

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
    const bool very_first = number == 1 && run.phases.empty();
    JudgedPhase judged{.expectations = expectations_of(phase, experiment.setup), .result = {}};
    try {
      judged.result =
          failure ? not_begun(phase, "the one before it failed", false) : run_with_progress(phase, console);
    } catch (const std::exception& error) {
      if (very_first) throw;
      const bool goes_on = dynamic_cast<const ClockDied*>(&error) != nullptr;
      if (!goes_on) failure = std::current_exception();
      judged.result = not_begun(phase, lab::words_of(error), false);
    }
    warn_of(experiment.envelope, judged.result, experiment.setup);
    write_raw(out, judged.result, number);
    console.json_line(phase_line(judged.result));
    print_phase(console, judged);
    run.phases.push_back(std::move(judged));
  }
  return failure;
}

std::exception_ptr Session::run_once(const OutputDir& out, Console& console) {
  const SteadyTime begin = steady_now();
  const bool is_first = experiment.runs.empty();
  Run& run = experiment.runs.emplace_back();
  console.json_line(environment_line(experiment.setup));
  auto failure = run_phases(run, out, console);
  if (is_first && !failure) read_clocks();
  if (is_first && !failure && phases.size() == kPhases.size()) experiment.deadline_qos = watch_deadline_qos();
  run.length = steady_now() - begin;
  experiment.envelope.duration += run.length;
  return failure;
}

std::exception_ptr Session::run(std::size_t runs, const OutputDir& out, Console& console) {
  experiment.wanted_runs = runs;
  experiment.envelope.environment = read_environment();
  std::exception_ptr failure;
  for (std::size_t i = 0; i < runs && !failure && (i == 0 || !Interrupt::requested()); ++i) {
    if (runs > 1) console.print(fmt::format("\nRun {} of {}", i + 1, runs));
    std::optional<Confinement> confinement;
    try {
      confinement.emplace(limits, experiment.setup);
    } catch (const std::exception& error) {
      if (i == 0) throw;
      experiment.envelope.warnings.push_back(
          fmt::format("run {} could not begin: {}", i + 1, lab::words_of(error)));
      failure = std::current_exception();
      break;
    }
    failure = run_once(out, console);
    confinement.reset();
    out.write("results.json", results_document(experiment).dump(2) + "\n");  // before the line that names it
    const Run& run = experiment.runs.back();
    console.json_line(done_line(run.length, run.verdict(), (out / "results.json").string(), run.partial()));
  }
  warn_of_runs(experiment.envelope, experiment.runs.size(), runs);
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
