// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>

#include "lab/comm/comm_run.hpp"
#include "lab/comm/experiment.hpp"
#include "lab/comm/pace.hpp"
#include "lab/comm/predictions.hpp"
#include "lab/comm/stacks.hpp"
#include "lab/comm/tables.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/output_dir.hpp"

namespace takt::lab {
namespace comm {
namespace {

constexpr double kNoticedStealPct = 0.5;

Plan plan_of(const CommOptions& options) {
  const auto matrix = matrix_of(options.stage);
  return {.stage = options.stage,
          .stacks = options.stacks.empty() ? default_stacks() : options.stacks,
          .payloads = options.payloads.empty() ? matrix.payloads : options.payloads,
          .subscribers = options.subscribers.empty() ? matrix.subscribers : options.subscribers,
          .rate_hz = options.rate_hz,
          .seconds = options.seconds > 0 ? options.seconds : seconds_of(options.stage),
          .rounds = options.rounds,
          .load = options.load,
          .priority = options.priority,
          .keep_awake = options.keep_awake,
          .round_trip = options.round_trip};
}

std::string announcement(const Plan& plan, Duration expected) {
  return fmt::format("{}{} points of {} stacks, {} rounds each, {:g} s of each; about {:.0f} min to go; {}{}",
                     plan.round_trip ? "round trips, " : "", plan.points().size(), plan.stacks.size(),
                     plan.rounds, plan.seconds, std::ceil(to_seconds(expected) / 60),
                     plan.load == "none" ? "no load" : "stress-ng loads every core meanwhile",
                     plan.keep_awake ? "; the cores are kept awake" : "");
}

}  // namespace
}  // namespace comm

int run_comm(const CommOptions& options, Console& console) {
  using namespace comm;
  Experiment experiment{.plan = plan_of(options), .machine = machine_of(read_environment())};
  experiment.envelope.command = this_command();
  experiment.envelope.started_at = iso_time(std::chrono::system_clock::now());
  if (options.stage == "full") check_smoke(options.smoke, experiment.machine);
  if (!options.out.empty()) resume(experiment, options.out);
  const OutputDir dir(options.out, "comm");
  std::error_code failure;
  std::filesystem::create_directories(dir / "raw", failure);
  dir.write("plan.json", plan_document(experiment.plan, experiment.machine).dump(2) + "\n");

  const Interrupt interrupt;
  console.print(announcement(experiment.plan, Pace(experiment.plan, experiment.points_done()).expected()));
  if (const auto done = experiment.points_done(); done > 0)
    console.print(fmt::format("{} points are measured already", done));
  CommRun run(experiment, dir, console);
  const auto error = run.run();
  const auto results = run.write();
  dir.write("report.html",
            report_html(results, experiment.plan, experiment.envelope.environment, dir.path()));

  if (!experiment.cells.empty()) console.print(matrix_table(experiment.cells));
  if (experiment.envelope.environment.steal_pct > kNoticedStealPct)
    console.message(fmt::format("note: the hypervisor took {:.1f} % of the CPU time",
                                experiment.envelope.environment.steal_pct));
  if (!experiment.complete() && !error)
    console.message(fmt::format("note: ended early; go on with --out {}", dir.path().string()));
  console.print(verdict_sentence(results));
  console.print(fmt::format("report: {}", (dir / "report.html").string()));
  console.document(results);
  if (error) std::rethrow_exception(error);
  return kDone;
}

}  // namespace takt::lab
