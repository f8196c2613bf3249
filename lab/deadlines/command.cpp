// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/keep_awake.hpp"
#include "lab/common/options.hpp"
#include "lab/common/output_dir.hpp"
#include "lab/common/shortage.hpp"
#include "lab/deadlines/arithmetic.hpp"
#include "lab/deadlines/lines.hpp"
#include "lab/deadlines/results.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab {
namespace {

using namespace deadlines;

constexpr double kLongestPhase = 3600;
constexpr int kFifoPriority = 80;
constexpr double kDisturbingStealPct = 0.5;
constexpr double kDisturbingBusyPct = 15;  // the experiment itself needs next to nothing
constexpr long long kMostThreads = 64;     // of an executor

std::string phase_names() {
  std::string names;
  for (const auto& phase : kPhases) names += (names.empty() ? "" : ", ") + std::string(phase.name);
  return names;
}

/// Errors: CannotMeasure for a phase that this version does not know how to run.
std::vector<Phase> chosen_phases(const DeadlinesOptions& options) {
  std::vector<Phase> phases;
  for (const auto& name : options.phases) {
    const Phase* phase = find_phase(name);
    TAKT_CHECK(phase != nullptr);  // the option's validator lets no other name through
    if (phase->simulated) {
      throw CannotMeasure(
          fmt::format("the phase {} needs simulated time, which is not built yet in this version", name),
          "use --phase wall_baseline or --phase wall_injected");
    }
    phases.push_back(*phase);
  }
  if (phases.empty()) phases = {*find_phase("wall_baseline"), *find_phase("wall_injected")};
  return phases;
}

/// Errors: CannotMeasure when real-time scheduling is asked for and not permitted.
RunSetup setup_of(const DeadlinesOptions& options) {
  RunSetup setup;
  setup.length = checked_duration(std::chrono::duration<double>(options.seconds), "--seconds");
  setup.threads = options.threads;
  if (options.scheduling == "fifo") {
    setup.scheduling = Fifo{kFifoPriority};
    if (const auto permission = real_time_permission(kFifoPriority); !permission.granted) {
      throw CannotMeasure("--scheduling fifo: the kernel does not let this user run SCHED_FIFO threads",
                          permission.fix + "; or use --scheduling normal");
    }
  }
  return setup;
}

/// Draws the progress of a phase while it lives.
class ProgressBar {
 public:
  ProgressBar(Console& console, std::string_view label, Duration total) : console_(console) {
    if (!console.interactive()) return;
    thread_ = std::jthread([this, label, total](const std::stop_token& stop) { draw(stop, label, total); });
  }
  ~ProgressBar() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    console_.progress_done();
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void draw(const std::stop_token& stop, std::string_view label, Duration total) {
    SteadyClock& clock = *SteadyClock::instance();
    const SteadyTime begin = clock.steady_now();
    while (!stop.stop_requested()) {
      console_.progress(label, clock.steady_now() - begin, total);
      clock.sleep_for(std::chrono::milliseconds{200});
    }
  }

  Console& console_;
  std::jthread thread_;
};

double busiest_core(const Environment& environment) {
  const auto& busy = environment.load.busy_pct;
  return busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
}

void add_warnings(Envelope& envelope, const PhaseResult& result) {
  const auto warn = [&envelope](std::string text) { envelope.warnings.push_back(std::move(text)); };
  if (result.environment.steal_pct > kDisturbingStealPct) {
    warn(fmt::format("the hypervisor took {:.1f} % of the CPU time during {}: late wake-ups may be its doing",
                     result.environment.steal_pct, result.phase.name));
  }
  if (const double busy = busiest_core(result.environment);
      busy > kDisturbingBusyPct && !envelope.environment.keep_awake) {
    warn(fmt::format("other programs kept a core busy for {:.0f} % of {}: late wake-ups may be their doing",
                     busy, result.phase.name));
  }
  if (const auto& group = result.environment.cgroup; group && group->nr_throttled > 0) {
    warn(fmt::format("the CPU quota stopped this process {} times, for {:.0f} us together, during {}",
                     group->nr_throttled, group->throttled_usec, result.phase.name));
  }
  if (!result.measured()) {
    warn(fmt::format("{} was not measured: {}", result.phase.name, result.not_measured));
  } else if (result.interrupted) {
    warn(fmt::format(
        "{} was ended early by the user, after {:.1f} s: its figures are of a shorter run and are "
        "not judged",
        result.phase.name, to_seconds(result.length)));
  }
}

void print_phase(Console& console, const JudgedPhase& phase) {
  console.print("");
  std::vector<Prediction> predictions;
  for (const auto& one : phase.expectations) predictions.push_back(prediction_of(one, &phase.result));
  console.print(table_of(predictions));
  if (phase.result.measured()) console.print(countings_table(phase.result));
}

std::vector<std::string> files_of_deadlines() {
  std::vector<std::string> files = {"plan.md", "results.json", "report.html"};
  for (const auto& phase : kPhases) files.push_back(csv_name(phase));
  return files;
}

int run_arithmetic(Console& console, Envelope envelope) {
  const auto calculations = arithmetic();
  console.print(deadlines::table_of(calculations));
  envelope.environment = read_environment();
  console.document(document(envelope, deadlines::to_json(calculations)));
  const bool agree = all_agree(calculations);
  console.print(agree ? "All calculations agree." : "Not all calculations agree.");
  return agree ? kDone : kCannotMeasure;
}

/// A phase that did not run because the ones before it ended early.
PhaseResult not_begun(const Phase& phase, std::string why, bool by_the_user) {
  PhaseResult result{.phase = phase};
  result.interrupted = by_the_user;
  result.not_measured = std::move(why);
  return result;
}

PhaseResult run_with_progress(const Phase& phase, const RunSetup& setup, Console& console) {
  if (Interrupt::requested()) return not_begun(phase, "ended by the user before it began", true);
  const ProgressBar bar(console, phase.name, setup.length);
  return deadlines::run_phase(phase, setup);
}

/// Runs the phases one after the other, printing as they end. A signal ends the current one and drops the
/// rest; so does a failure, which is returned, to be thrown once the phases before it are written. Errors: a
/// failure of the first phase.
std::exception_ptr run_phases(Experiment& experiment, const std::vector<Phase>& phases, const OutputDir& out,
                              Console& console) {
  const bool published_length = experiment.setup.length == std::chrono::seconds{5};
  if (!published_length)
    console.print("Published figures are of 5 s a phase: not shown beside another length.");
  std::exception_ptr failure;
  for (const auto& phase : phases) {
    JudgedPhase judged{.expectations = expectations_of(phase, experiment.setup.length), .result = {}};
    try {
      judged.result = failure ? not_begun(phase, "the one before it failed", false)
                              : run_with_progress(phase, experiment.setup, console);
    } catch (const std::exception& error) {
      if (experiment.phases.empty()) throw;
      failure = std::current_exception();
      judged.result = not_begun(phase, words_of(error), false);
    }
    add_warnings(experiment.envelope, judged.result);
    if (!judged.result.rows.empty()) out.write(csv_name(phase), csv_of(judged.result.rows));
    console.json_line(phase_line(judged.result));
    print_phase(console, judged);
    experiment.phases.push_back(std::move(judged));
  }
  return failure;
}

}  // namespace

CLI::App* add_deadlines(CLI::App& parent, DeadlinesOptions& options) {
  CLI::App* verb = parent.add_subcommand(
      "deadlines", "a 100 Hz loop with injected stops: what a mean and a real time factor hide");
  verb->add_option("--phase", options.phases, "phase to run, may be repeated (default: both wall phases)")
      ->check(CLI::Validator(
          [](std::string& name) {
            return find_phase(name) != nullptr ? std::string()
                                               : "'" + name + "' is not a phase: " + phase_names();
          },
          "NAME"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--seconds", options.seconds, "length of a phase")
      ->check(seconds_up_to(kLongestPhase))
      ->capture_default_str();
  verb->add_option("--scheduling", options.scheduling, "of the executor: normal or fifo (priority 80)")
      ->check(CLI::IsMember({"normal", "fifo"}))
      ->capture_default_str();
  verb->add_option("--threads", options.threads, "threads of the executor")
      ->check(whole_number(1, kMostThreads))
      ->capture_default_str();
  verb->add_flag("--keep-awake", options.keep_awake, "keep the cores from halting meanwhile");
  verb->add_option("--out", options.out,
                   "folder for plan, raw data, results and report (default: reports/deadlines-<time>); those "
                   "of an earlier run in it are replaced")
      ->check(folder_name());
  verb->add_flag("--json", options.json, "JSON lines on stdout, and nothing else there");
  verb->add_flag("--arithmetic", options.arithmetic,
                 "show the published experiment's small calculations, and end");
  return verb;
}

int run_deadlines(const DeadlinesOptions& options, Console& console) {
  const auto started = std::chrono::system_clock::now();
  const SteadyTime begin = SteadyClock::instance()->steady_now();
  Experiment experiment;
  experiment.envelope.command = this_command();
  experiment.envelope.started_at = iso_time(started);
  if (options.arithmetic) return run_arithmetic(console, experiment.envelope);

  const auto phases = chosen_phases(options);
  experiment.setup = setup_of(options);
  experiment.envelope.environment.keep_awake = options.keep_awake;
  const OutputDir out(options.out, "deadlines", files_of_deadlines());
  const Interrupt interrupt;
  out.write("plan.md", plan_text(phases, experiment.setup));
  std::optional<KeepAwake> awake;
  if (options.keep_awake) awake.emplace();
  console.json_line(environment_line(experiment.setup, options.keep_awake));
  console.print(fmt::format(
      "{} phase(s) of {:g} s; scheduling: {}; threads: {}; cores {}; plan: {}", phases.size(),
      options.seconds, to_string(experiment.setup.scheduling), options.threads,
      awake ? "kept awake (" + awake->description() + ")" : "not kept awake", (out / "plan.md").string()));

  const EnvironmentProbe probe;
  const auto failure = run_phases(experiment, phases, out, console);
  experiment.envelope.environment = probe.finish();
  experiment.envelope.environment.keep_awake = options.keep_awake;
  if (!experiment.envelope.environment.cgroup) {
    experiment.envelope.warnings.emplace_back("no cgroup CPU controller here: cgroup_cpu_delta is null");
  }
  experiment.envelope.duration = SteadyClock::instance()->steady_now() - begin;

  out.write("results.json", results_document(experiment).dump(2) + "\n");
  out.write("report.html", report_html(experiment));
  for (const auto& warning : experiment.envelope.warnings) console.message("note: " + warning);
  console.json_line(done_line(experiment.envelope.duration, experiment.verdict(),
                              (out / "results.json").string(), experiment.partial()));
  console.print(fmt::format("\n{}\nReport, results, plan and raw rows: {}\n\n{}", kTwoCountings,
                            out.path().string(), experiment.verdict()));
  if (failure) std::rethrow_exception(failure);
  return kDone;
}

}  // namespace takt::lab
