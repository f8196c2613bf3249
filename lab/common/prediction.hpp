// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/common/table.hpp"

namespace takt::lab {

/// What an experiment said beforehand, and what came out.
struct Prediction {
  std::string phase;
  std::string quantity;   ///< with its unit: "end to end p99, ms"
  std::string predicted;  ///< "at most 7.63"
  std::string why;        ///< for the plan; not in the document
  std::string published;  ///< empty: none
  std::optional<double> measured;
  std::optional<std::pair<double, double>> measured_range{};  ///< of several runs, which differ; then
                                                              ///< `measured` is their median
  std::optional<bool> met;                                    ///< unset: not judged
  int decimals = 3;                                           ///< of `measured`, in the table
};

/// {phase, quantity, predicted, measured, published, met}; null for what is unset.
nlohmann::ordered_json to_json(const Prediction& prediction);
Table table_of(const std::vector<Prediction>& predictions);

}  // namespace takt::lab
