// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/common/prediction.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

struct Range {
  double low = 0;
  double high = 0;

  bool holds(double value) const noexcept { return low <= value && value <= high; }
};

/// What is said of one quantity of a phase before the phase runs.
struct Expectation {
  Phase phase;
  std::string quantity;  ///< with its unit
  std::string why;
  double (*measure)(const PhaseResult&);
  std::optional<Range> predicted;  ///< what meets it; unset: not predicted, only compared
  std::optional<Range> published;  ///< lowest and highest of the five published runs; unset: none
};

/// All that is said of a phase of this length. The values come from ideal_rows(); the published ones hold for
/// five seconds only.
std::vector<Expectation> expectations_of(const Phase& phase, Duration length);

/// As the plan and the tables show it; `measured` and `met` are unset without a result. One that was ended
/// early is not judged, nor shown beside figures of a whole run.
Prediction prediction_of(const Expectation& expectation, const PhaseResult* result);

/// {phase, quantity, predicted, measured, published, met, predicted_range, published_range}
nlohmann::ordered_json to_json(const Expectation& expectation, const PhaseResult& result);

/// What was measured of one phase, and whether it is what was said, in a part of a sentence.
std::string summary_of(const std::vector<Expectation>& expectations, const PhaseResult& result);
/// Nothing that was predicted of this phase came out otherwise.
bool as_predicted(const std::vector<Expectation>& expectations, const PhaseResult& result);

}  // namespace takt::lab::deadlines
