// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/common/envelope.hpp"
#include "lab/common/table.hpp"
#include "lab/priority/predictions.hpp"

/// What is written of the whole experiment, in all its forms.
namespace takt::lab::priority {

struct Experiment {
  Envelope envelope;
  std::vector<RunPlan> plans;
  std::vector<Claim> claims;
  std::vector<RunResult> results;  ///< in the order of the plans, as far as it got
  std::vector<Prediction> predictions;
  bool partial = false;  ///< ended early by the user

  const RunResult* find(int design, bool real_time) const;
};

/// Before the first run: what will be done, what is expected and why.
std::string plan_text(const Experiment& experiment);

/// One line per activation: callback,release_ns,start_ns,finish_ns,origin,origin_ns,skipped,missed. Times on
/// the monotonic clock.
std::string raw_csv(const RunResult& result);

/// The document of `takt lab priority` (docs/formats/lab-priority.schema.json).
nlohmann::ordered_json results_json(const Experiment& experiment);

/// What came out, in a sentence or two.
std::string verdict_sentence(const Experiment& experiment);
/// Designs 1 and 2: the critical callback beside the other one with the same work. Empty without samples.
std::string compared_sentence(const RunResult& run);
bool all_predictions_met(const Experiment& experiment);

/// Of one run: execution and period of each callback, beside the published figures.
Table callbacks_table(const RunResult& result);
/// Of one run: the judgement of each callback and chain, and why it missed.
Table verdicts_table(const RunResult& result);
/// Design 3 end to end, beside the published figures and plain rclcpp's.
Table comparison_table(const Experiment& experiment);

std::string report_html(const Experiment& experiment);

}  // namespace takt::lab::priority
