// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/comm_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "lab/comm/tables.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/keep_awake.hpp"
#include "lab/common/load.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab::comm {
namespace {

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

double turns_of(const Plan& plan) {
  const bool again = std::ranges::find(plan.stacks, kBaseline) != plan.stacks.end();
  return static_cast<double>((plan.stacks.size() + (again ? 1 : 0)) * plan.rounds);
}

}  // namespace

std::exception_ptr CommRun::run() {
  try {
    measure_points();
  } catch (const std::exception& error) {
    experiment_.envelope.warnings.push_back(std::string("it could not go on: ") + words_of(error));
    return std::current_exception();
  }
  return nullptr;
}

void CommRun::measure_points() {
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

nlohmann::ordered_json CommRun::write() {
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

void CommRun::tell(const Pace& pace, const Point& point, std::size_t points, double share) {
  const auto elapsed = SteadyClock::instance()->steady_now() - begin_;
  console_.progress(name_of(point), elapsed, elapsed + pace.remaining(points, share, elapsed));
}

void CommRun::keep(const Point& point, const PointRun& run) {
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

}  // namespace takt::lab::comm
