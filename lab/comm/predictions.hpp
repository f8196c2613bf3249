// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "lab/comm/outcomes.hpp"
#include "lab/comm/plan.hpp"
#include "lab/comm/tables.hpp"
#include "lab/common/prediction.hpp"

namespace takt::lab::comm {

/// A claim that is made before anything runs, and how it is checked afterwards.
struct Claim {
  Prediction prediction;  ///< without what is measured
  std::function<Outcome(const Cells&)> measure;
  double at_least = 0, at_most = 0;
};

/// What is claimed of a plan; a claim whose cells are not in it is left out.
std::vector<Claim> claims_about(const Plan& plan);
/// What came out so far.
std::vector<Prediction> check(const std::vector<Claim>& claims, const Cells& cells);

/// predictions[] of results.json.
nlohmann::ordered_json predictions_json(const Plan& plan, const Cells& cells);
/// plan.json: the plan, and what is predicted with its reason.
nlohmann::ordered_json plan_document(const Plan& plan, const nlohmann::ordered_json& machine);
/// The claims with their reasons, as the report begins with them.
Table claims_table(const Plan& plan);

}  // namespace takt::lab::comm
