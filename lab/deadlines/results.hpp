// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/common/envelope.hpp"
#include "lab/common/table.hpp"
#include "lab/deadlines/predictions.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

/// A phase with what was said of it before.
struct JudgedPhase {
  std::vector<Expectation> expectations;
  PhaseResult result;
};

/// All that the files of an experiment are made from.
struct Experiment {
  Envelope envelope;
  RunSetup setup;
  std::vector<JudgedPhase> phases;

  std::string verdict() const;  ///< one sentence
  bool as_predicted() const;
  bool partial() const;  ///< a phase was ended early, or was not measured
};

/// The plan, written before anything runs: what is predicted and why.
std::string plan_text(const std::vector<Phase>& phases, const RunSetup& setup);

/// results.json: the envelope, runs[] and predictions[].
nlohmann::ordered_json results_document(const Experiment& experiment);

/// "wall_baseline.csv"; there is none of a phase that did not begin.
std::string csv_name(const Phase& phase);
/// One phase's raw rows: activation, wall_start_ns, timer_start_ns, wall_end_ns, timer_end_ns, injected.
std::string csv_of(const std::vector<Row>& rows);

/// What both countings say of a phase, side by side.
Table countings_table(const PhaseResult& result);
/// Why the two need not agree.
extern const char* const kTwoCountings;

std::string report_html(const Experiment& experiment);

}  // namespace takt::lab::deadlines
