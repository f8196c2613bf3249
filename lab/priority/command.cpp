// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "lab/common/envelope.hpp"
#include "lab/common/environment.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/options.hpp"
#include "lab/common/output_dir.hpp"
#include "lab/common/shortage.hpp"
#include "lab/priority/experiment.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab {
namespace {

using namespace priority;

constexpr double kLongest = 3600;  // of a run: every activation is kept in memory
constexpr double kDisturbingOthersPct = 5;

std::vector<RunPlan> plans_of(const PriorityOptions& options) {
  std::vector<RunPlan> plans;
  for (const auto& design : all_designs()) {
    if (options.design != "all" && options.design != std::to_string(design.number)) continue;
    for (const bool real_time : {true, false}) {
      if (options.scheduling == (real_time ? "normal" : "rt")) continue;
      plans.push_back(
          {.design = &design,
           .real_time = real_time,
           .priority = options.priority,
           .work = options.work == "cpu" ? WorkKind::cpu : WorkKind::wall,
           .load = options.load == "none" ? LoadKind::none : LoadKind::stress_ng,
           .keep_awake = options.keep_awake,
           .length = checked_duration(std::chrono::duration<double>(options.seconds), "--seconds")});
    }
  }
  return plans;
}

std::string announcement(const std::vector<RunPlan>& plans) {
  const auto& first = plans.front();
  const double minutes = to_seconds(first.length + kWarmUp) * static_cast<double>(plans.size()) / 60;
  return fmt::format("{} runs of {:g} s, about {:.1f} min in all; {}{}", plans.size(),
                     to_seconds(first.length), minutes,
                     first.load == LoadKind::none ? "no load" : "stress-ng loads every core meanwhile",
                     first.keep_awake ? "; the cores are kept awake" : "");
}

/// Everything that a reader must know before believing a run.
void add_warnings(std::vector<std::string>& warnings, const RunResult& result) {
  const auto name = name_of(result.plan);
  if (!result.ran()) {
    warnings.push_back(fmt::format("{} was not run, NOT JUDGED: {}", name, result.refused));
    return;
  }
  if (!result.used()) warnings.push_back(fmt::format("{} is not used: {}", name, result.not_used));
  if (result.interrupted) {
    warnings.push_back(
        fmt::format("{} is partial: it was ended after {:.1f} s", name, to_seconds(result.measured)));
  }
  if (result.environment.steal_pct > kDisturbingStealPct) {
    warnings.push_back(fmt::format("during {} the hypervisor took {:.1f} % of the CPU time", name,
                                   result.environment.steal_pct));
  }
  if (result.others_pct > kDisturbingOthersPct) {
    warnings.push_back(
        fmt::format("during {} other programs had {:.0f} % of the CPU time{}", name, result.others_pct,
                    result.plan.real_time ? "" : ": its figures at the default priority are theirs as well"));
  }
  if (result.environment.cgroup && result.environment.cgroup->nr_throttled > 0) {
    warnings.push_back(fmt::format("during {} the control group's quota stopped the program {} times", name,
                                   result.environment.cgroup->nr_throttled));
  }
}

/// Runs what can be run, in the order of the plans, until the user ends it. Errors: what a run throws; the
/// runs before it are in the experiment.
void run_all(Experiment& experiment, const std::string& refusal, const OutputDir& dir, Console& console) {
  for (const auto& plan : experiment.plans) {
    if (Interrupt::requested()) {
      experiment.partial = true;
      break;
    }
    auto result =
        plan.real_time && !refusal.empty() ? RunResult{.plan = plan, .refused = refusal} : run(plan, console);
    if (result.ran()) dir.write(file_stem(plan) + ".csv", raw_csv(result));
    if (result.ran()) console.print(callbacks_table(result));
    auto& warnings = experiment.envelope.warnings;
    const auto known = warnings.size();
    add_warnings(warnings, result);
    for (auto i = known; i < warnings.size(); ++i) console.message("note: " + warnings[i]);
    experiment.partial = experiment.partial || result.interrupted;
    experiment.results.push_back(std::move(result));
  }
}

/// The same, but a run that fails takes those before it not with it: what it threw, to be thrown once they
/// are written; empty: none did.
std::exception_ptr run_as_far_as_possible(Experiment& experiment, const std::string& refusal,
                                          const OutputDir& dir, Console& console) {
  try {
    run_all(experiment, refusal, dir, console);
  } catch (const std::exception& error) {
    if (experiment.results.empty()) throw;
    const auto failed = name_of(experiment.plans.at(experiment.results.size()));
    experiment.partial = true;
    experiment.envelope.warnings.push_back(
        fmt::format("{} could not be measured, and nothing after it: {}", failed, words_of(error)));
    return std::current_exception();
  }
  return nullptr;
}

/// All that a run of this command may write.
std::vector<std::string> files_of_priority() {
  std::vector<std::string> files = {"plan.md", "results.json", "report.html"};
  for (const auto& design : all_designs()) {
    for (const bool real_time : {true, false})
      files.push_back(file_stem({.design = &design, .real_time = real_time}) + ".csv");
  }
  return files;
}

/// Of all runs: the worst busy share and the mean of the steal are what the envelope says.
Environment overall(const Experiment& experiment, Environment environment) {
  double steal = 0;
  double seconds = 0;
  for (const auto& result : experiment.results) {
    if (!result.ran()) continue;
    const double length = to_seconds(result.measured);
    steal += result.environment.steal_pct * length;
    seconds += length;
    environment.keep_awake = result.environment.keep_awake;
    auto& load = environment.load;
    load.command = result.environment.load.command;
    const auto& busy = result.environment.load.busy_pct;
    if (load.busy_pct.size() != busy.size()) {
      load.busy_pct = busy;
    } else {
      for (std::size_t core = 0; core < busy.size(); ++core)
        load.busy_pct[core] = std::min(load.busy_pct[core], busy[core]);
    }
  }
  environment.steal_pct = seconds > 0 ? steal / seconds : 0;
  return environment;
}

}  // namespace

CLI::App* add_priority(CLI::App& parent, PriorityOptions& options) {
  auto* command = parent.add_subcommand(
      "priority",
      "Three designs of a robot program with real-time priority and without, under a load on every core");
  command->add_option("--design", options.design, "Which design")
      ->check(CLI::IsMember({"1", "2", "3", "all"}))
      ->capture_default_str();
  command->add_option("--seconds", options.seconds, "Length of each run")
      ->check(seconds_up_to(kLongest))
      ->capture_default_str();
  command
      ->add_option("--scheduling", options.scheduling,
                   "SCHED_FIFO for the critical callbacks, the default priority, or both in turn")
      ->check(CLI::IsMember({"rt", "normal", "both"}))
      ->capture_default_str();
  command->add_option("--load", options.load, "What fills every core meanwhile")
      ->check(CLI::IsMember({"stress-ng", "none"}))
      ->capture_default_str();
  command
      ->add_option("--work", options.work, "Callbacks work for so much wall time (as published) or CPU time")
      ->check(CLI::IsMember({"wall", "cpu"}))
      ->capture_default_str();
  command->add_option("--priority", options.priority, "SCHED_FIFO priority")
      ->check(whole_number(1, 98))
      ->capture_default_str();
  command->add_flag("--keep-awake", options.keep_awake,
                    "Keep idle cores from halting (said with every figure)");
  command
      ->add_option("--out", options.out,
                   "Folder for plan, raw data, results and report (default: reports/priority-<time>); those "
                   "of an earlier run in it are replaced")
      ->check(folder_name());
  command->add_flag("--json", options.json, "Only the results on stdout, as JSON");
  return command;
}

int run_priority(const PriorityOptions& options, Console& console) {
  Experiment experiment;
  experiment.plans = plans_of(options);
  const bool wants_real_time = options.scheduling != "normal";
  const auto permission =
      wants_real_time ? real_time_permission(options.priority) : RealTimePermission{.granted = true};
  const auto refusal = permission.granted
                           ? std::string()
                           : "the kernel does not let this user run SCHED_FIFO threads; " + permission.fix;
  if (!refusal.empty() && options.scheduling == "rt") {
    throw CannotMeasure("the kernel does not let this user run SCHED_FIFO threads",
                        permission.fix + "; or measure without it (--scheduling normal)");
  }

  const OutputDir dir(options.out, "priority", files_of_priority());
  const Interrupt interrupt;
  const EnvironmentProbe probe;
  const auto begin = SteadyClock::instance()->steady_now();
  experiment.envelope.command = this_command();
  experiment.envelope.started_at = iso_time(std::chrono::system_clock::now());
  experiment.claims = claims_about(experiment.plans, expected_wake_up_ms(read_environment()));
  dir.write("plan.md", plan_text(experiment));
  console.print(announcement(experiment.plans));
  console.print(fmt::format("plan: {}\n", (dir / "plan.md").string()));

  const auto failure = run_as_far_as_possible(experiment, refusal, dir, console);
  experiment.predictions = check(experiment.claims, experiment.results);
  experiment.envelope.duration = SteadyClock::instance()->steady_now() - begin;
  experiment.envelope.environment = overall(experiment, probe.finish());
  if (experiment.partial && !failure)
    experiment.envelope.warnings.emplace_back("ended early by the user: the results are partial");

  const auto document = results_json(experiment);
  dir.write("results.json", document.dump(2) + "\n");
  dir.write("report.html", report_html(experiment));
  if (experiment.find(3, true) != nullptr || experiment.find(3, false) != nullptr)
    console.print(comparison_table(experiment));
  console.print(table_of(experiment.predictions));
  if (experiment.partial && !failure) console.message("note: ended early, the results are partial");
  console.print(verdict_sentence(experiment));
  console.print(fmt::format("report: {}", (dir / "report.html").string()));
  console.document(document);
  if (failure) std::rethrow_exception(failure);
  return kDone;
}

}  // namespace takt::lab
