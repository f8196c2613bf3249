// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/clock_reading.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/common/shortage.hpp"
#include "lab/deadlines/rounding.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

/// Callback 25 is due after 250 ms.
constexpr Duration kLength = 400ms;

const char* name_of(bool shared) { return shared ? "shared" : "own"; }

}  // namespace

std::optional<ClockReading> reading_of(const PhaseResult& result, bool shared) {
  const auto& counts = result.counts;
  if (!result.measured() || !result.phase.simulated() || !counts.execution_timer_max_injected_ms)
    return std::nullopt;
  return ClockReading{.shared = shared,
                      .timer_ms = *counts.execution_timer_max_injected_ms,
                      .wall_ms = counts.execution_wall_max_injected_ms.value_or(0)};
}

ClockReading read_clock(RunSetup setup, bool shared) {
  setup.length = kLength;
  setup.shared_clock_thread = shared;
  ClockReading none{.shared = shared};
  try {
    const auto result = run_phase(*find_phase("sim_rtf1_injected"), setup);
    if (const auto reading = reading_of(result, shared)) return *reading;
    none.fault = result.measured() ? "no injected callback ran" : result.not_measured;
  } catch (const std::exception& error) {
    none.fault = lab::words_of(error);
  }
  return none;
}

Table table_of(const std::vector<ClockReading>& readings) {
  Table table{.title = "How long an injected callback took, on two clocks (longest)",
              .columns = {{"/clock is heard by", Align::left},
                          {"on the node's clock, ms"},
                          {"on the monotonic clock, ms"},
                          {"published", Align::left}}};
  for (const auto& one : readings) {
    const bool measured = one.fault.empty();
    table.rows.push_back({one.shared ? "the thread that runs the callback" : "a thread of its own",
                          measured ? fmt::format("{:.3f}", one.timer_ms) : "-",
                          measured ? fmt::format("{:.3f}", one.wall_ms) : "not measured: " + one.fault,
                          one.shared ? "0.0 and 22.102 to 22.217" : "-"});
  }
  table.note =
      "A callback that holds the thread which hears /clock stops its own clock: time what you run on the "
      "monotonic one.";
  return table;
}

Json to_json(const std::vector<ClockReading>& readings) {
  auto list = Json::array();
  for (const auto& one : readings) {
    const bool measured = one.fault.empty();
    list.push_back({{"clock_thread", name_of(one.shared)},
                    {"exec_timer_clock_ms", measured ? Json(rounded(one.timer_ms)) : Json()},
                    {"exec_wall_ms", measured ? Json(rounded(one.wall_ms)) : Json()},
                    {"fault", measured ? Json() : Json(one.fault)}});
  }
  return list;
}

}  // namespace takt::lab::deadlines
