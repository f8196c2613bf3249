// SPDX-License-Identifier: Apache-2.0
// docs/formats/lab-deadlines.schema.json specifies what this writes.
#include <nlohmann/json.hpp>

#include "lab/deadlines/lines.hpp"
#include "lab/deadlines/long_interval.hpp"
#include "lab/deadlines/rounding.hpp"

namespace takt::lab::deadlines {
namespace {

using Json = nlohmann::ordered_json;

Json causes_document(const PhaseResult& result) {
  auto causes = Json::object();
  for (std::size_t i = 0; i < timing::kCauses; ++i) {
    const auto cause = static_cast<timing::Cause>(i);
    if (const auto n = with_cause(result.misses, cause); n > 0) causes[timing::key(cause)] = n;
  }
  return causes;
}

Json misses_document(const PhaseResult& result) {
  auto misses = Json::array();
  for (const auto& miss : result.misses) {
    misses.push_back({{"index", miss.activation},
                      {"at_s", rounded(miss.at_s)},
                      {"response_ms", rounded(miss.response_ms)},
                      {"injected", miss.injected},
                      {"cause", timing::key(miss.cause)},
                      {"detail", miss.detail}});
  }
  return misses;
}

Json windows_document(const PhaseResult& result) {
  auto windows = Json::array();
  for (const auto& one : result.rtf ? result.rtf->windows : std::vector<RtfWindow>()) {
    windows.push_back({{"at_s", rounded(result.since_first(one.end))},
                       {"length_ms", rounded(to_ms(one.end - one.begin))},
                       {"factor", rounded(one.factor, 4)}});
  }
  return windows;
}

Json clock_document(const PhaseResult& result) {
  const auto& clock = result.clock;
  auto gaps = Json::array();
  for (const auto& gap : clock.gaps)
    gaps.push_back({{"at_s", rounded(result.since_first(gap.at))}, {"gap_ms", rounded(to_ms(gap.length))}});
  auto late = Json::array();
  const auto end = clock.end.value_or(ClockEnd{});
  for (const auto& step : end.late_steps) {
    late.push_back({{"at_s", rounded(result.since_first(step.at))},
                    {"response_ms", rounded(step.response_ms)},
                    {"cause", step.cause},
                    {"detail", step.detail}});
  }
  return {{"iterations", end.iterations},
          {"late", end.late},
          {"dropped_ms", rounded(end.dropped_ms)},
          {"windows", windows_document(result)},
          {"gaps", std::move(gaps)},
          {"late_steps", std::move(late)}};
}

Json throttled_document(const PhaseResult& result) {
  auto list = Json::array();
  for (const auto& one : result.throttled) {
    list.push_back({{"at_s", rounded(result.since_first(one.begin))},
                    {"length_ms", rounded(to_ms(one.end - one.begin))},
                    {"throttled_ms", rounded(one.throttled_ms)}});
  }
  return list;
}

Json long_intervals_document(const PhaseResult& result) {
  auto list = Json::array();
  for (const auto& one : long_intervals(result)) {
    list.push_back({{"at_s", rounded(one.at_s)},
                    {"interval_ms", rounded(one.interval_ms)},
                    {"expected_ms", rounded(one.expected_ms)},
                    {"reason", key(one.reason)},
                    {"detail", one.detail}});
  }
  return list;
}

}  // namespace

Json phase_document(const PhaseResult& result) {
  Json document = phase_line(result);
  if (!result.measured()) return document;
  document["steal_pct"] = result.environment.steal_pct;
  document["interrupted"] = result.interrupted;
  document["long_intervals"] = long_intervals_document(result);
  document["throttled"] = throttled_document(result);
  document["clock"] = result.phase.simulated() ? clock_document(result) : Json(nullptr);
  document["causes"] = causes_document(result);
  document["misses"] = misses_document(result);
  document["verdicts"] = Json::array({Json(timing::to_json(result.verdict))});
  return document;
}

}  // namespace takt::lab::deadlines
