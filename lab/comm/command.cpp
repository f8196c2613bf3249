// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>

#include "lab/comm/experiment.hpp"
#include "lab/comm/measure.hpp"
#include "lab/comm/pace.hpp"
#include "lab/comm/predictions.hpp"
#include "lab/comm/tables.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/keep_awake.hpp"
#include "lab/common/load.hpp"
#include "lab/common/options.hpp"
#include "lab/common/output_dir.hpp"
#include "lab/common/shortage.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {
namespace {

constexpr double kLongestCell = 600;
constexpr double kHighestRate = 100'000;
constexpr double kNoticedStealPct = 0.5;

std::vector<std::string> names_of_stacks() {
  std::vector<std::string> names;
  for (const auto& stack : all_stacks()) names.emplace_back(stack.name);
  return names;
}

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

/// What a reader must know before believing a cell.
void add_cell_warnings(std::vector<std::string>& warnings, const nlohmann::ordered_json& cell) {
  const auto name = fmt::format("{}, {}, {} subscribers", cell.at("stack").get<std::string>(),
                                payload_text(cell), cell.at("subscribers").get<int>());
  for (const auto* key : {"unsupported", "failed"}) {
    if (!cell.at(key).is_null())
      warnings.push_back(fmt::format("{}: {}: {}", name, key, cell.at(key).get<std::string>()));
  }
  if (!cell.at("min_us").is_null() && cell.at("min_us").get<double>() < 0)
    warnings.push_back(name + ": a latency below zero: the clocks do not agree");
}

/// The measuring itself, with what is written after each point.
class CommRun {
 public:
  CommRun(Experiment& experiment, const OutputDir& dir, Console& console)
      : experiment_(experiment), dir_(dir), console_(console) {}

  void run() {
    const auto points = experiment_.plan.points();
    if (experiment_.complete()) return;
    const Load load(experiment_.plan.load == "none" ? LoadKind::none : LoadKind::stress_ng,
                    std::chrono::hours{48});
    std::optional<KeepAwake> keeper;
    if (experiment_.plan.keep_awake) keeper.emplace();
    load_command_ = load.command();
    const auto first = experiment_.points_done();
    const Pace pace(experiment_.plan, first);
    for (auto at = first; at < points.size() && !Interrupt::requested(); ++at) {
      double turns = 0;
      const auto run = measure_point(experiment_.plan, points[at], [&] {
        tell(pace, points[at], at - first, turns++ / turns_of(experiment_.plan));
      });
      if (!run) break;
      keep(points[at], *run);
    }
    console_.progress_done();
  }

  /// results.json, comm.csv and report.html of what there is.
  nlohmann::ordered_json write() {
    auto& envelope = experiment_.envelope;
    envelope.duration = SteadyClock::instance()->steady_now() - begin_;
    envelope.environment = probe_.finish();
    envelope.environment.keep_awake = experiment_.plan.keep_awake;
    envelope.environment.load.command = load_command_;
    auto document = results_json(experiment_);
    dir_.write("results.json", document.dump(2) + "\n");
    dir_.write("comm.csv", performance_test_csv(document));
    return document;
  }

 private:
  static double turns_of(const Plan& plan) {
    const bool again = std::ranges::find(plan.stacks, kBaseline) != plan.stacks.end();
    return static_cast<double>((plan.stacks.size() + (again ? 1 : 0)) * plan.rounds);
  }

  void tell(const Pace& pace, const Point& point, std::size_t points, double share) {
    const auto elapsed = SteadyClock::instance()->steady_now() - begin_;
    console_.progress(name_of(point), elapsed, elapsed + pace.remaining(points, share, elapsed));
  }

  void keep(const Point& point, const PointRun& run) {
    for (const auto& cell : run.cells) {
      if (!cell.rounds.empty()) dir_.write(raw_file_of(*cell.stack, point), raw_npy(cell));
    }
    Cells cells;
    for (auto& cell : cells_json(experiment_.plan, run)) {
      const auto known = experiment_.envelope.warnings.size();
      add_cell_warnings(experiment_.envelope.warnings, cell);
      for (auto i = known; i < experiment_.envelope.warnings.size(); ++i)
        console_.message("note: " + experiment_.envelope.warnings[i]);
      experiment_.cells.push_back(cell);
      cells.push_back(std::move(cell));
    }
    if (auto noise = noise_json(run, point); !noise.is_null()) experiment_.noise.push_back(std::move(noise));
    write();
    auto table = cells_table(cells);
    table.title = fmt::format("{} ({} of {})", name_of(point), experiment_.points_done(),
                              experiment_.plan.points().size());
    table.note.clear();
    console_.print(table);
  }

  Experiment& experiment_;
  const OutputDir& dir_;
  Console& console_;
  EnvironmentProbe probe_;
  std::string load_command_;
  SteadyTime begin_ = SteadyClock::instance()->steady_now();
};

/// The same, but what cannot go on takes nothing with it that was measured: it is thrown once that is
/// written.
std::exception_ptr run_as_far_as_it_goes(CommRun& run, Experiment& experiment) {
  try {
    run.run();
  } catch (const std::exception& error) {
    experiment.envelope.warnings.push_back(std::string("it could not go on: ") + words_of(error));
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace
}  // namespace takt::lab::comm

namespace takt::lab {

CLI::App* add_comm(CLI::App& parent, CommOptions& options) {
  auto* command = parent.add_subcommand(
      "comm", "Messages between processes of this host: takt beside bare futexes, sockets, iceoryx and DDS");
  using namespace comm;
  const auto most_subscribers = static_cast<long long>(kMostReaders);
  command
      ->add_option("--stage", options.stage,
                   "Which part of the matrix: smoke (set-up), fanout, coarse, full, stress (limits)")
      ->check(CLI::IsMember({"smoke", "fanout", "coarse", "full", "stress"}))
      ->capture_default_str();
  command
      ->add_option("--stacks", options.stacks,
                   fmt::format("Of {} (default: all but iceoryx-poll)", fmt::join(names_of_stacks(), ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_stacks()));
  command->add_option("--payload", options.payloads, "Bytes, instead of those of the stage")
      ->delimiter(',')
      ->check(CLI::IsMember(matrix_of("full").payloads));
  command->add_option("--subscribers", options.subscribers, "How many, instead of those of the stage")
      ->delimiter(',')
      ->check(whole_number(1, most_subscribers));
  command->add_option("--rate", options.rate_hz, "Messages a second")
      ->check(CLI::Range(1.0, kHighestRate))
      ->capture_default_str();
  command
      ->add_option("--seconds", options.seconds,
                   "Of each stack in each cell, all rounds together (default: 1.8 for coarse, else 5)")
      ->check(seconds_up_to(kLongestCell));
  command->add_option("--rounds", options.rounds, "Interleaved rounds; fewer than 9 are not judged")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--load", options.load, "What fills every core meanwhile")
      ->check(CLI::IsMember({"none", "stress-ng"}))
      ->capture_default_str();
  command->add_option("--rt-priority", options.priority, "SCHED_FIFO priority of all ends (default: none)")
      ->check(whole_number(1, 98));
  command->add_flag("--roundtrip", options.round_trip,
                    "Readers answer each message; measured until the sender has the answer");
  command->add_flag("--keep-awake", options.keep_awake,
                    "Keep idle cores from halting (said with every figure)");
  command
      ->add_option("--smoke", options.smoke,
                   "Folder of a clean smoke stage of this machine, which full wants")
      ->check(folder_name());
  command
      ->add_option(
          "--out", options.out,
          "Folder for plan, raw data, results and report (default: reports/comm-<time>); an unfinished "
          "run of the same plan in it goes on")
      ->check(folder_name());
  command->add_flag("--json", options.json, "Only the results on stdout, as JSON");
  return command;
}

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
  const auto error = run_as_far_as_it_goes(run, experiment);
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
