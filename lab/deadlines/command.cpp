// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/keep_awake.hpp"
#include "lab/common/options.hpp"
#include "lab/common/output_dir.hpp"
#include "lab/deadlines/arithmetic.hpp"
#include "lab/deadlines/lines.hpp"
#include "lab/deadlines/results.hpp"
#include "lab/deadlines/session.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab {
namespace {

using namespace deadlines;

constexpr int kFifoPriority = 80;

std::vector<Phase> chosen_phases(const DeadlinesOptions& options) {
  const auto& names = options.phases;
  if (names.empty() || std::ranges::find(names, "all") != names.end())
    return {kPhases.begin(), kPhases.end()};
  std::vector<Phase> phases;
  for (const auto& name : names) {
    const Phase* phase = find_phase(name);
    TAKT_CHECK(phase != nullptr);  // the option's validator lets no other name through
    phases.push_back(*phase);
  }
  return phases;
}

GroupLimits limits_of(const DeadlinesOptions& options) {
  GroupLimits limits;
  if (options.cpu_quota > 0) limits.cpus = options.cpu_quota;
  if (!options.memory.empty()) limits.memory = bytes_of(options.memory);
  return limits;
}

/// Errors: CannotMeasure when real-time scheduling is asked for and not permitted.
RunSetup setup_of(const DeadlinesOptions& options, const GroupLimits& limits) {
  RunSetup setup;
  setup.length = checked_duration(std::chrono::duration<double>(options.seconds), "--seconds");
  setup.threads = options.threads;
  setup.shared_clock_thread = options.clock_thread == "shared";
  setup.hog = options.hog;
  setup.keep_awake = options.keep_awake;
  if (options.scheduling == "fifo") {
    setup.scheduling = Fifo{kFifoPriority};
    check_fifo_in(limits);
    if (const auto permission = real_time_permission(kFifoPriority); !permission.granted) {
      throw CannotMeasure("--scheduling fifo: the kernel does not let this user run SCHED_FIFO threads",
                          permission.fix + "; or use --scheduling normal");
    }
  }
  return setup;
}

std::vector<std::string> files_of_deadlines() {
  std::vector<std::string> files = {"plan.md", "results.json", "report.html"};
  for (std::size_t run = 1; run <= kMostRuns; ++run) {
    for (const auto& phase : kPhases) {
      files.push_back(csv_name(phase, run));
      files.push_back(clock_name(phase, run));
      files.push_back(quota_name(phase, run));
    }
  }
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

void print_beginning(Console& console, const DeadlinesOptions& options, const RunSetup& setup,
                     std::size_t phases, const std::string& awake, const std::string& plan) {
  console.print(
      fmt::format("{} phase(s) of {:g} s, {} run(s); scheduling: {}; threads: {}; {}{}cores {}; plan: {}",
                  phases, options.seconds, options.runs, to_string(setup.scheduling), options.threads,
                  setup.limits.empty() ? "" : setup.limits + "; ", options.hog ? "a hog; " : "",
                  awake.empty() ? "not kept awake" : "kept awake (" + awake + ")", plan));
  if (setup.length != kPublishedLength)
    console.print("Published figures are of 5 s a phase: not shown beside another length.");
}

void print_end(Console& console, const Experiment& experiment, const OutputDir& out) {
  for (const auto& table : longest_tables(experiment)) {
    console.print("");
    console.print(table);
  }
  if (!experiment.clock_readings.empty()) {
    console.print("");
    console.print(table_of(experiment.clock_readings));
  }
  if (!experiment.deadline_qos.empty()) {
    console.print("");
    console.print(table_of(experiment.deadline_qos));
  }
  console.print(fmt::format("\n{}\nReport, results, plan and raw rows: {}\n\n{}\n{}", kTwoCountings,
                            out.path().string(), experiment.sentence(), experiment.verdict("\n")));
}

}  // namespace

int run_deadlines(const DeadlinesOptions& options, Console& console) {
  const auto started = std::chrono::system_clock::now();
  const SteadyTime begin = SteadyClock::instance()->steady_now();
  Experiment experiment;
  experiment.envelope.command = this_command();
  experiment.envelope.started_at = iso_time(started);
  if (options.arithmetic) return run_arithmetic(console, experiment.envelope);

  const auto limits = limits_of(options);
  experiment.setup = setup_of(options, limits);
  Session session{.phases = chosen_phases(options), .limits = limits, .experiment = experiment};
  session.try_limits();
  const OutputDir out(options.out, "deadlines", files_of_deadlines());
  const Interrupt interrupt;
  out.write("plan.md", plan_text(session.phases, experiment.setup, options.runs));
  std::optional<KeepAwake> awake;
  if (options.keep_awake) awake.emplace();
  print_beginning(console, options, experiment.setup, session.phases.size(),
                  awake ? awake->description() : "", (out / "plan.md").string());

  const EnvironmentProbe probe;
  const auto failure = session.run(options.runs, out, console);
  experiment.envelope.environment = probe.finish();
  experiment.envelope.environment.keep_awake = options.keep_awake;
  experiment.envelope.duration = SteadyClock::instance()->steady_now() - begin;
  out.write("results.json", results_document(experiment).dump(2) + "\n");
  out.write("report.html", report_html(experiment));
  for (const auto& warning : experiment.envelope.warnings) console.message("note: " + warning);
  print_end(console, experiment, out);
  if (failure) std::rethrow_exception(failure);
  return kDone;
}

}  // namespace takt::lab
