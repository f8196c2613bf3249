// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "lab/comm/cell.hpp"

namespace takt::lab::comm {

/// All stacks at one point of the matrix, and the floor a second time.
struct PointRun {
  std::vector<CellRun> cells;
  std::optional<CellRun> floor_again;
};

/// Runs the rounds, interleaved; each begins with the next stack, so that none always follows the same one.
/// tell() is called before each turn. A stack that fails is not run again at this point; the others go on.
/// Empty when the user ended it: a point is measured whole or not at all. Errors: CannotMeasure when the
/// laboratory is out of memory or files.
std::optional<PointRun> measure_point(const Plan& plan, const Point& point,
                                      const std::function<void()>& tell);

/// The cells of results.json, each with takt's standing beside it.
std::vector<nlohmann::ordered_json> cells_json(const Plan& plan, const PointRun& run);
/// How far the floor differs from itself at this point: null where it was not run.
nlohmann::ordered_json noise_json(const PointRun& run, const Point& point);

}  // namespace takt::lab::comm
