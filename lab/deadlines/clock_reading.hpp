// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/common/table.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

/// What an injected callback of 22 ms took on the node's own clock, when /clock is heard by a thread of its
/// own, and when it is heard by the thread that sleeps.
struct ClockReading {
  bool shared = false;
  double timer_ms = 0;  ///< on the node's clock
  double wall_ms = 0;   ///< on the monotonic one
  std::string fault{};  ///< why it could not be measured; empty: it was
};

/// Of a phase that ran, if it has injected callbacks on simulated time.
std::optional<ClockReading> reading_of(const PhaseResult& result, bool shared);
/// A short phase with one injected callback. An error becomes `fault`.
ClockReading read_clock(RunSetup setup, bool shared);

Table table_of(const std::vector<ClockReading>& readings);
/// [{clock_thread, exec_timer_clock_ms, exec_wall_ms, fault}]
nlohmann::ordered_json to_json(const std::vector<ClockReading>& readings);

}  // namespace takt::lab::deadlines
