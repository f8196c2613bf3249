// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "lab/common/environment.hpp"
#include "lab/deadlines/rounding.hpp"

namespace takt::lab::deadlines {
namespace {

using timing::Cause;

std::string text_of(const std::optional<Range>& range, const char* without) {
  if (!range) return without;
  if (range->low == range->high) return fmt::format("{:.5g}", range->low);
  return fmt::format("{:.5g} to {:.5g}", range->low, range->high);
}

std::string published_text(const Expectation& expectation) {
  auto text = text_of(expectation.published, "");
  if (expectation.published_note.empty()) return text;
  return text.empty() ? expectation.published_note : fmt::format("{} ({})", text, expectation.published_note);
}

nlohmann::ordered_json range_document(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return nlohmann::ordered_json::array({range->low, range->high});
}

bool is_whole(const PhaseResult* result) { return result->measured() && !result->interrupted; }

/// What was said is of the whole length, and of a machine that has time.
bool can_be_judged(const PhaseResult& result) { return is_whole(&result) && !result.was_throttled(); }

/// Only of a result that can be judged. Unset: nothing was predicted, or the result does not have it.
std::optional<bool> met(const Expectation& expectation, const PhaseResult& result) {
  if (!expectation.predicted) return std::nullopt;
  const double value = expectation.measure(result);
  return std::isnan(value) ? std::nullopt : std::optional(expectation.predicted->holds(value));
}

int decimals_of(const std::string& quantity) {
  if (quantity.ends_with(", ms")) return 3;
  return quantity.find("factor") != std::string::npos ? 4 : 0;
}

/// Of the runs that have it, sorted.
std::vector<double> measured_values(const Expectation& expectation, const Results& results) {
  std::vector<double> values;
  for (const auto* result : with_figures(results)) {
    const double value = rounded(expectation.measure(*result), 4);
    if (std::isfinite(value)) values.push_back(value);
  }
  std::ranges::sort(values);
  return values;
}

std::optional<Range> measured_range(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return Range{values.front(), values.back()};
}

/// Why a measured result is not judged; empty: it is.
std::string not_judged(const PhaseResult& result) {
  if (result.interrupted)
    return fmt::format("ended by the user after {:.1f} s, so not judged", to_seconds(result.length));
  if (result.was_throttled())
    return fmt::format("not judged, for the CPU quota stopped it {} times",
                       result.environment.cgroup->nr_throttled);
  return "";
}

std::string judged_text(const std::vector<Expectation>& expectations, const PhaseResult& result) {
  if (const auto why = not_judged(result); !why.empty()) return "; " + why;
  std::vector<std::string> differing;
  for (const auto& one : expectations) {
    if (!met(one, result).value_or(true)) differing.push_back(one.quantity);
  }
  if (differing.empty()) return ", as predicted";
  return fmt::format(", otherwise than predicted in: {}", fmt::join(differing, "; "));
}

std::string disturbance(const PhaseResult& result) {
  if (result.environment.steal_pct <= kDisturbingStealPct) return "";
  return fmt::format("; disturbed: the hypervisor took {:.1f} % of the CPU time",
                     result.environment.steal_pct);
}

std::string factor_text(const PhaseResult& result) {
  return result.rtf ? fmt::format("real time factor {:.4g}, ", result.rtf->whole) : "";
}

}  // namespace

Results with_figures(const Results& results) {
  const bool whole = std::ranges::any_of(results, is_whole);
  Results kept;
  std::ranges::copy_if(results, std::back_inserter(kept),
                       [whole](const PhaseResult* one) { return whole ? is_whole(one) : one->measured(); });
  return kept;
}

Prediction prediction_of(const Expectation& expectation, const Results& results) {
  Prediction prediction{.phase = std::string(expectation.phase.name),
                        .quantity = expectation.quantity,
                        .predicted = text_of(expectation.predicted, "not predicted"),
                        .why = expectation.why,
                        .published = published_text(expectation)};
  if (!results.empty() && std::ranges::none_of(results, is_whole)) prediction.published.clear();
  prediction.decimals = decimals_of(expectation.quantity);
  const auto values = measured_values(expectation, results);
  if (values.empty()) return prediction;
  prediction.measured = values[values.size() / 2];
  if (values.back() > values.front()) prediction.measured_range = std::pair(values.front(), values.back());
  for (const auto* result : results) {
    const auto one = can_be_judged(*result) ? met(expectation, *result) : std::nullopt;
    if (one) prediction.met = prediction.met.value_or(true) && *one;
  }
  return prediction;
}

nlohmann::ordered_json to_json(const Expectation& expectation, const Results& results) {
  auto document = lab::to_json(prediction_of(expectation, results));
  const bool whole = std::ranges::any_of(results, is_whole);
  document["predicted_range"] = range_document(expectation.predicted);
  document["published_range"] = range_document(whole ? expectation.published : std::optional<Range>());
  document["measured_range"] = range_document(measured_range(measured_values(expectation, results)));
  return document;
}

bool as_predicted(const std::vector<Expectation>& expectations, const PhaseResult& result) {
  return can_be_judged(result) &&
         std::all_of(expectations.begin(), expectations.end(),
                     [&](const Expectation& one) { return met(one, result).value_or(true); });
}

std::string summary_of(const std::vector<Expectation>& expectations, const PhaseResult& result) {
  if (!result.measured()) return fmt::format("{}: not measured ({})", result.phase.name, result.not_measured);
  const Counts& counts = result.counts;
  std::vector<std::string> causes;
  for (std::size_t i = 0; i < timing::kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    if (const auto n = with_cause(result.misses, cause); n > 0)
      causes.push_back(fmt::format("{} {}", n, words_of(cause)));
  }
  return fmt::format(
      "{}: {}{} deadline misses{} and {} skipped periods in {} callbacks, behind a mean interval of {:.3f} "
      "ms{}{}",
      result.phase.name, factor_text(result), counts.deadline_misses,
      causes.empty() ? "" : fmt::format(" ({})", fmt::join(causes, ", ")), counts.skipped_periods,
      counts.callbacks, counts.interval_wall.mean_ms, judged_text(expectations, result), disturbance(result));
}

}  // namespace takt::lab::deadlines
