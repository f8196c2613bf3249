// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/comm/plan.hpp"
#include "lab/common/envelope.hpp"

namespace takt::lab::comm {

/// A run of the laboratory, as far as it got; all of it is in results.json.
struct Experiment {
  Envelope envelope;
  Plan plan;
  nlohmann::ordered_json machine;
  std::vector<nlohmann::ordered_json> cells;  ///< in the order of the plan's points, each with all its stacks
  std::vector<nlohmann::ordered_json> noise;  ///< the floor against itself, by point

  /// How many points of the plan are measured.
  std::size_t points_done() const;
  bool complete() const { return points_done() == plan.points().size(); }
};

/// What the machine is, as far as a run must not change it half-way.
nlohmann::ordered_json machine_of(const Environment& environment);

/// Takes over what `folder` holds of the same plan; nothing where it holds none. Errors: CannotMeasure that
/// names what differs when it holds a run of another plan, or when it cannot be read.
void resume(Experiment& experiment, const std::filesystem::path& folder);

/// Errors: CannotMeasure unless `folder` holds a whole smoke stage of this machine without warnings.
void check_smoke(const std::string& folder, const nlohmann::ordered_json& machine);

/// A document that another run has written. Errors: CannotMeasure when it is not there or is none.
nlohmann::ordered_json read_document(const std::filesystem::path& file);

/// The document of `takt lab comm` (docs/formats/lab-comm.schema.json).
nlohmann::ordered_json results_json(const Experiment& experiment);
/// The same with the columns of performance_test, a row for each cell that was measured.
std::string performance_test_csv(const nlohmann::ordered_json& results);
/// What came out, in a sentence or two.
std::string verdict_sentence(const nlohmann::ordered_json& results);
/// `folder` holds the raw files.
std::string report_html(const nlohmann::ordered_json& results, const Plan& plan,
                        const Environment& environment, const std::filesystem::path& folder);

}  // namespace takt::lab::comm
