// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lab/common/distribution.hpp"
#include "lab/priority/experiment.hpp"

namespace takt::lab::priority {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json chain_json(const RunResult& result) {
  const auto samples = result.samples.find(kChain);
  if (samples == result.samples.end() || result.chains.empty()) return nullptr;
  const auto& chain = samples->second;
  return {{"name", kChain},
          {"latency_ms", to_json(distribution_of(chain.execution_ms, chain.execution_at_s))},
          {"verdict", to_json(result.chains.front())}};
}

/// The predictions of this run and, with the last run of a design, those about both.
Json predictions_json(const Experiment& experiment, const RunResult& result) {
  Json list = Json::array();
  for (std::size_t i = 0; i < experiment.claims.size(); ++i) {
    const auto& claim = experiment.claims[i];
    if (claim.design != result.plan.design->number || i >= experiment.predictions.size()) continue;
    if (result.plan.real_time ? claim.needs_real_time : claim.needs_normal && !claim.needs_real_time) {
      list.push_back(to_json(experiment.predictions[i]));
    }
  }
  return list;
}

Json design_json(const Experiment& experiment, const RunResult& result) {
  Json callbacks = Json::array();
  for (const auto& verdict : result.verdicts) callbacks.push_back(Json(to_json(verdict)));
  Json critical = Json::array();
  for (const auto& callback : result.plan.design->callbacks) {
    if (callback.critical) critical.push_back(callback.name);
  }
  return {{"design", result.plan.design->number},
          {"title", result.plan.design->title},
          {"scheduling", result.plan.real_time ? "fifo" : "normal"},
          {"priority", result.plan.real_time ? Json(result.plan.priority) : Json()},
          {"work", result.plan.work == WorkKind::wall ? "wall" : "cpu"},
          {"refused", text_or_null(result.refused)},
          {"not_used", text_or_null(result.not_used)},
          {"partial", result.interrupted},
          {"warmup_s", to_seconds(kWarmUp)},
          {"measured_s", to_seconds(result.measured)},
          {"environment", result.ran() ? Json(to_json(result.environment)) : Json()},
          {"other_programs_pct", result.ran() ? Json(result.others_pct) : Json()},
          {"critical", std::move(critical)},
          {"callbacks", std::move(callbacks)},
          {"chain", chain_json(result)},
          {"predictions", predictions_json(experiment, result)},
          {"raw_file", result.ran() ? Json(file_stem(result.plan) + ".csv") : Json()}};
}

}  // namespace

nlohmann::ordered_json results_json(const Experiment& experiment) {
  Json designs = Json::array();
  for (const auto& result : experiment.results) designs.push_back(design_json(experiment, result));
  return document(experiment.envelope, {{"partial", experiment.partial}, {"designs", std::move(designs)}});
}

}  // namespace takt::lab::priority
