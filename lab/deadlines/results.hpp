// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lab/common/envelope.hpp"
#include "lab/common/table.hpp"
#include "lab/deadlines/clock_reading.hpp"
#include "lab/deadlines/deadline_qos.hpp"
#include "lab/deadlines/predictions.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

/// A phase with what was said of it before.
struct JudgedPhase {
  std::vector<Expectation> expectations;
  PhaseResult result;
};

inline constexpr std::size_t kMostRuns = 100;

/// Every phase once.
struct Run {
  std::vector<JudgedPhase> phases;
  Duration length{};  ///< of all together

  /// What is said of each phase.
  std::string verdict(std::string_view between = "; ") const;
  bool partial() const;  ///< a phase was ended early, or was not measured
};

/// All that the files of an experiment are made from.
struct Experiment {
  Envelope envelope;
  RunSetup setup;
  std::vector<Run> runs;
  std::size_t wanted_runs = 1;
  std::vector<ClockReading> clock_readings{};
  std::vector<QosWatch> deadline_qos{};

  /// "Real time factor 1, 20 deadlines missed ...": of the phase that shows it best.
  std::string sentence() const;
  /// What is said of each phase, over all runs.
  std::string verdict(std::string_view between = "; ") const;
  bool as_predicted() const;
  bool partial() const;  ///< a run is, or there are fewer than were wanted

  /// The results of the phase at `index`, one of each run that has it.
  Results results_of(std::size_t index) const;
  /// What the sentence is about, of the first run that has it whole; null when nothing was measured.
  const PhaseResult* shown() const;
};

/// The plan, written before anything runs: what is predicted and why.
std::string plan_text(const std::vector<Phase>& phases, const RunSetup& setup, std::size_t runs);

/// What was predicted of every phase, over all runs.
std::vector<Prediction> predictions_of(const Experiment& experiment);

/// results.json: the envelope, runs[] and predictions[].
nlohmann::ordered_json results_document(const Experiment& experiment);

/// "wall_baseline.csv", of the second run "wall_baseline-2.csv"; there is none of a phase that did not begin.
std::string csv_name(const Phase& phase, std::size_t run = 1);
/// "sim_rtf1-clock.jsonl": the clock process's log.
std::string clock_name(const Phase& phase, std::size_t run = 1);
/// "sim_rtf1-quota.csv": the control group's counters.
std::string quota_name(const Phase& phase, std::size_t run = 1);
/// One phase's raw rows: activation, wall_start_ns, timer_start_ns, wall_end_ns, timer_end_ns, injected.
std::string csv_of(const std::vector<Row>& rows);
/// at_ns, nr_periods, nr_throttled, throttled_us, usage_us.
std::string csv_of(const std::vector<QuotaSample>& samples);

/// The longest interval of each phase; of several runs a table each.
std::vector<Table> longest_tables(const Experiment& experiment);

/// What both countings say of a phase, side by side.
Table countings_table(const PhaseResult& result);
/// Why the two need not agree.
extern const char* const kTwoCountings;

std::string report_html(const Experiment& experiment);

}  // namespace takt::lab::deadlines
