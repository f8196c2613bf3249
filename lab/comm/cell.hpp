// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/comm/plan.hpp"
#include "lab/comm/round.hpp"

namespace takt::lab::comm {

/// A rate that is reached to this share counts as reached.
inline constexpr double kReached = 0.95;

/// What one stack did at one point, all its rounds together.
struct CellRun {
  const StackFacts* stack = nullptr;
  Point point;
  std::vector<RoundResult> rounds;  ///< those that ran
  std::string unsupported;          ///< why it cannot be run here
  std::string failed;               ///< what ended it before its last round
};

/// The mean of each round; 0 for one in which nothing was received.
std::vector<double> round_means_us(const CellRun& run);

/// The cell of results.json but for its verdict (docs/formats/lab-comm.md).
nlohmann::ordered_json cell_json(const Plan& plan, const CellRun& run);

/// "raw/takt-64-filled-4.npy".
std::string raw_file_of(const StackFacts& stack, const Point& point);
/// Every latency, as numpy.load() reads it: round, reader, latency_us. And the latencies out of such a text.
std::string raw_npy(const CellRun& run);
std::vector<double> latencies_of_npy(std::string_view text);

}  // namespace takt::lab::comm
