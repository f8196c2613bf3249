// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "lab/comm/pace.hpp"
#include "lab/comm/roudi.hpp"
#include "lab/comm/verdict.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/ratio.hpp"
#include "takt/core/error.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

/// Starts the daemon if a stack that can run needs it; where it does not come up those stacks cannot run.
void start_daemon_for(std::vector<CellRun>& cells, const Point& point, bool round_trip,
                      std::optional<Roudi>& daemon) {
  const auto wants = [](const CellRun& cell) { return cell.stack->roudi && cell.unsupported.empty(); };
  if (std::ranges::none_of(cells, wants)) return;
  try {
    daemon.emplace(point.payload, point.subscribers * (round_trip ? 2 : 1));
  } catch (const SetupError& error) {
    for (auto& cell : cells) {
      if (wants(cell)) cell.unsupported = error.what();
    }
  }
}

/// A DDS domain of its own for each stack: the ends of others may be there, stopped. Every second one, since
/// the ports of one with more than 120 participants reach into the next.
std::uint32_t domain_of(const StackFacts& stack) {
  constexpr std::uint32_t kRuns = 8;
  const auto stacks = all_stacks();
  const auto place = static_cast<std::uint32_t>(&stack - stacks.data());
  const auto run = static_cast<std::uint32_t>(::getpid()) % kRuns;
  return 1 + 2 * (run * static_cast<std::uint32_t>(stacks.size()) + place);
}

/// One stack at a point, in whose turn a round of it is run.
class Turn {
 public:
  Turn(const Plan& plan, CellRun& cell) : plan_(plan), cell_(cell) {}

  /// One more round. False when the user ended it.
  bool take() {
    if (!cell_.unsupported.empty() || !cell_.failed.empty()) return true;
    auto result = run_round();
    if (result.interrupted) return false;
    const auto words = [&](const std::string& what) {
      return what.empty() ? ""
                          : fmt::format("{} (round {} of {})", what, cell_.rounds.size() + 1, plan_.rounds);
    };
    cell_.failed = words(result.failed);
    cell_.unsupported = cell_.rounds.empty() ? result.unsupported : "";
    if (!cell_.rounds.empty() && !result.unsupported.empty()) cell_.failed = words(result.unsupported);
    if (result.ran()) cell_.rounds.push_back(std::move(result));
    return true;
  }

 private:
  RoundResult run_round() {
    if (!session_) {
      auto round = plan_.round_at(cell_.point);
      round.domain = domain_of(*cell_.stack);
      session_ = std::make_unique<Session>(*cell_.stack, round);
    }
    auto result = session_->run();
    const bool last = cell_.rounds.size() + 1 == plan_.rounds;
    if (result.ran() && !last && are_kept(*cell_.stack, cell_.point))
      session_->stop();
    else
      session_.reset();
    return result;
  }

  const Plan& plan_;
  CellRun& cell_;
  std::unique_ptr<Session> session_;
};

Compared compared(const Plan& plan, const CellRun& run) {
  const auto json = cell_json(plan, run);
  return {.round_means_us = round_means_us(run),
          .measured = run.rounds.size() == plan.rounds,
          .saturated = json.at("saturated").get<bool>(),
          .lost = json.at("lost").get<std::uint64_t>(),
          .floor = run.stack->floor};
}

const CellRun* find_run(const PointRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.cells, name, [](const CellRun& cell) { return cell.stack->name; });
  return found == run.cells.end() ? nullptr : &*found;
}

Json standing_json(const Plan& plan, const PointRun& run, const CellRun& cell) {
  const auto* takt = find_run(run, cell.stack->poll ? "takt-poll" : "takt");
  if (cell.stack->name.starts_with("takt") || takt == nullptr) return nullptr;
  Baseline baseline;
  if (const auto* floor = find_run(run, kBaseline); floor != nullptr && run.floor_again) {
    baseline = {.round_means_us = round_means_us(*floor),
                .again_us = round_means_us(*run.floor_again),
                .saturated = compared(plan, *floor).saturated};
  }
  return to_json(standing_of(compared(plan, *takt), compared(plan, cell), baseline));
}

}  // namespace

std::optional<PointRun> measure_point(const Plan& plan, const Point& point,
                                      const std::function<void()>& tell) {
  PointRun run;
  const auto shortage = shortage_for(plan.round_at(point));
  for (const auto& name : plan.stacks) {
    const auto* stack = find_stack(name);
    const auto missing = why_not_built(*stack);
    run.cells.push_back(
        {.stack = stack, .point = point, .unsupported = missing.empty() ? shortage : missing});
  }
  std::optional<Roudi> daemon;
  start_daemon_for(run.cells, point, plan.round_trip, daemon);
  if (const auto* floor = find_run(run, kBaseline))
    run.floor_again = CellRun{.stack = floor->stack, .point = point, .unsupported = floor->unsupported};

  std::vector<Turn> turns;
  for (auto& cell : run.cells) turns.emplace_back(plan, cell);
  if (run.floor_again) turns.emplace_back(plan, *run.floor_again);
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      tell();
      if (Interrupt::requested() || !turns[(round + i) % turns.size()].take()) return std::nullopt;
    }
  }
  return run;
}

std::vector<Json> cells_json(const Plan& plan, const PointRun& run) {
  std::vector<Json> cells;
  for (const auto& cell : run.cells) {
    cells.push_back(cell_json(plan, cell));
    cells.back()["takt"] = standing_json(plan, run, cell);
  }
  return cells;
}

Json noise_json(const PointRun& run, const Point& point) {
  const auto* floor = find_run(run, kBaseline);
  if (floor == nullptr || !run.floor_again) return nullptr;
  const auto first = round_means_us(*floor);
  const auto again = round_means_us(*run.floor_again);
  const auto usable = [](double mean) { return mean > 0; };
  if (first.empty() || first.size() != again.size() || !std::ranges::all_of(first, usable) ||
      !std::ranges::all_of(again, usable))
    return nullptr;
  const auto ratio = ratio_of(again, first);
  return {{"stack", kBaseline},
          {"payload_bytes", point.payload},
          {"payload_mapping", mapping_name(point)},
          {"subscribers", point.subscribers},
          {"ratio", ratio.median},
          {"low", ratio.low},
          {"high", ratio.high},
          {"rounds", ratio.rounds}};
}

}  // namespace takt::lab::comm
