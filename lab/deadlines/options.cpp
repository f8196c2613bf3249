// SPDX-License-Identifier: Apache-2.0
#include "lab/common/options.hpp"

#include "lab/deadlines/command.hpp"
#include "lab/deadlines/phase.hpp"
#include "lab/deadlines/results.hpp"

namespace takt::lab {
namespace {

using namespace deadlines;

constexpr double kLongestPhase = 3600;
constexpr long long kMostThreads = 64;  // of an executor
constexpr double kLeastQuota = 0.01;    // the kernel's own
constexpr double kMostQuota = 1024;

std::string phase_names() {
  std::string names = "all";
  for (const auto& phase : kPhases) names += ", " + std::string(phase.name);
  return names;
}

std::string check_phase(std::string& name) {
  if (name == "all" || find_phase(name) != nullptr) return "";
  return "'" + name + "' is not a phase: " + phase_names();
}

void add_machine_options(CLI::App& verb, DeadlinesOptions& options) {
  verb.add_option("--cpu-quota", options.cpu_quota,
                  "CPU time per time for all of it, as a container has (needs root)")
      ->check(decimal_number(kLeastQuota, kMostQuota));
  verb.add_option("--memory", options.memory, "memory for all of it, as 512m or 1g (needs root)")
      ->check(memory_size());
  verb.add_flag("--hog", options.hog, "a busy loop beside it, which uses the quota up");
  verb.add_option("--scheduling", options.scheduling, "of the executor: normal or fifo (priority 80)")
      ->check(CLI::IsMember({"normal", "fifo"}))
      ->capture_default_str();
  verb.add_option("--threads", options.threads, "threads of the executor")
      ->check(whole_number(1, kMostThreads))
      ->capture_default_str();
  verb.add_option("--clock-thread", options.clock_thread,
                  "who hears /clock: own (a thread of its own) or shared (the executor's, as rclpy has it)")
      ->check(CLI::IsMember({"own", "shared"}))
      ->capture_default_str();
  verb.add_flag("--keep-awake", options.keep_awake, "keep the cores from halting meanwhile");
}

}  // namespace

CLI::App* add_deadlines(CLI::App& parent, DeadlinesOptions& options) {
  CLI::App* verb = parent.add_subcommand(
      "deadlines", "a 100 Hz loop with injected stops: what a mean and a real time factor hide");
  verb->add_option("--phase", options.phases, "phase to run, may be repeated (default: all)")
      ->check(CLI::Validator(check_phase, "NAME"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--runs", options.runs, "runs of all the phases; the published figures are of 5")
      ->check(whole_number(1, static_cast<long long>(kMostRuns)))
      ->capture_default_str();
  verb->add_option("--seconds", options.seconds, "length of a phase")
      ->check(seconds_up_to(kLongestPhase))
      ->capture_default_str();
  add_machine_options(*verb, options);
  verb->add_option("--out", options.out,
                   "folder for plan, raw data, results and report (default: reports/deadlines-<time>); those "
                   "of an earlier run in it are replaced")
      ->check(folder_name());
  verb->add_flag("--json", options.json, "JSON lines on stdout, and nothing else there");
  verb->add_flag("--arithmetic", options.arithmetic,
                 "show the published experiment's small calculations, and end");
  return verb;
}

}  // namespace takt::lab
