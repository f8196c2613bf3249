// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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
  std::function<double(const PhaseResult&)> measure;  ///< NaN: this result does not have it
  std::optional<Range> predicted{};                   ///< what meets it; unset: not predicted, only compared
  std::optional<Range> published{};  ///< lowest and highest of the published runs that it is compared with
  std::string published_note{};      ///< of the other published runs: "run 1, throttled: 18"
};

/// All that is said of a phase of this set-up. The values come from ideal_rows(); the published ones hold for
/// five seconds only.
std::vector<Expectation> expectations_of(const Phase& phase, const RunSetup& setup);

/// The results of a phase, one of each run.
using Results = std::vector<const PhaseResult*>;
/// Those whose figures are shown: the whole ones; where there is none, those that were ended early.
Results with_figures(const Results& results);

/// As the plan and the tables show it; `measured` and `met` are unset without a result. Of several runs:
/// lowest and highest, and met by each. One that was ended early, or that the CPU quota stopped, is not
/// judged; one that was ended early is not shown beside figures of a whole run.
Prediction prediction_of(const Expectation& expectation, const Results& results);

/// {phase, quantity, predicted, measured, published, met, predicted_range, published_range, measured_range}
nlohmann::ordered_json to_json(const Expectation& expectation, const Results& results);

/// What was measured of one phase, and whether it is what was said, in a part of a sentence.
std::string summary_of(const std::vector<Expectation>& expectations, const PhaseResult& result);
/// Nothing that was predicted of this phase came out otherwise.
bool as_predicted(const std::vector<Expectation>& expectations, const PhaseResult& result);

}  // namespace takt::lab::deadlines
