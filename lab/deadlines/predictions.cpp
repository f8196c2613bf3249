// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace takt::lab::deadlines {
namespace {

using timing::Cause;

constexpr double kMeanTolerance = 0.05;  // ms

double callbacks(const PhaseResult& r) { return static_cast<double>(r.counts.callbacks); }
double grid_periods(const PhaseResult& r) { return static_cast<double>(r.counts.grid_periods_spanned); }
double skipped(const PhaseResult& r) { return static_cast<double>(r.counts.skipped_periods); }
double misses(const PhaseResult& r) { return static_cast<double>(r.counts.deadline_misses); }
double own_off_cpu(const PhaseResult& r) {
  return static_cast<double>(with_cause(r.misses, Cause::own_off_cpu));
}
double blocked(const PhaseResult& r) { return static_cast<double>(with_cause(r.misses, Cause::blocked_by)); }
double mean_interval(const PhaseResult& r) { return r.counts.interval_wall.mean_ms; }
double min_interval(const PhaseResult& r) { return r.counts.interval_wall.min_ms; }
double max_interval(const PhaseResult& r) { return r.counts.interval_wall.max_ms; }
double max_lateness(const PhaseResult& r) { return r.counts.start_lateness.max_ms; }
double over_period(const PhaseResult& r) { return static_cast<double>(r.counts.intervals_over_period); }
double over_jitter(const PhaseResult& r) {
  return static_cast<double>(r.counts.intervals_over_period_plus_jitter);
}

Range exactly(double value) { return {value, value}; }
Range around(double value, double below, double above) { return {value - below, value + above}; }

/// The phase as it would be on an ideal machine.
PhaseResult ideal_result(const Phase& phase, Duration length) {
  PhaseResult result{.phase = phase, .rows = ideal_rows(phase, length)};
  result.counts = count(result.rows);
  return result;
}

std::vector<Expectation> of_baseline(const Phase& phase, const PhaseResult& ideal) {
  return {
      {phase, "callbacks", "one for each slot of the grid", callbacks, exactly(callbacks(ideal)), {}},
      {phase, "mean interval, ms", "the grid keeps its phase", mean_interval,
       around(mean_interval(ideal), kMeanTolerance, kMeanTolerance), exactly(10.0)},
      {phase,
       "longest interval, ms",
       "depends on the machine: not predicted",
       max_interval,
       {},
       Range{10.079, 11.148}},
      {phase, "deadline misses", "depends on the machine: not predicted", misses, {}, exactly(0)},
      {phase, "skipped periods", "depends on the machine: not predicted", skipped, {}, exactly(0)},
      {phase,
       "intervals over 10 ms",
       "about half of them, by a hair: why intervals need a jitter allowance",
       over_period,
       {},
       Range{242, 252}},
      {phase,
       "intervals over 10.5 ms",
       "depends on the machine: not predicted",
       over_jitter,
       {},
       Range{0, 5}},
  };
}

std::vector<Expectation> of_injected(const Phase& phase, const PhaseResult& ideal) {
  const auto injected = static_cast<double>(ideal.counts.injected);
  return {
      {phase, "callbacks", "each injection costs one slot", callbacks, exactly(callbacks(ideal)),
       exactly(489)},
      {phase, "grid periods spanned", "the grid keeps its phase", grid_periods, exactly(grid_periods(ideal)),
       exactly(498)},
      {phase, "skipped periods", "22 ms pass two slots; the first is run late, the second is dropped",
       skipped, exactly(skipped(ideal)), exactly(10)},
      {phase, "deadline misses", "the injected callback (22 ms) and the next one, which starts 12 ms late",
       misses, exactly(misses(ideal)), exactly(20)},
      {phase,
       "misses by own time off the CPU",
       "the injected callbacks sleep",
       own_off_cpu,
       exactly(injected),
       {}},
      {phase,
       "misses blocked by the activation before",
       "the callbacks after them had to wait",
       blocked,
       exactly(misses(ideal) - injected),
       {}},
      {phase, "mean interval, ms", "all intervals together span the grid; the mean hides every miss",
       mean_interval, around(mean_interval(ideal), kMeanTolerance, kMeanTolerance), exactly(10.205)},
      {phase, "longest interval, ms", "from the injected start to the next one", max_interval,
       around(max_interval(ideal), 0.5, 1.0), Range{22.517, 22.581}},
      {phase, "shortest interval, ms", "the late callback is followed by one on its slot", min_interval,
       around(min_interval(ideal), 1.0, 0.5), Range{7.404, 7.467}},
      {phase, "largest start lateness, ms", "22 ms after a slot the next one is 12 ms old", max_lateness,
       around(max_lateness(ideal), 0.5, 1.0), Range{12.52, 12.619}},
  };
}

std::string text_of(const std::optional<Range>& range, const char* without) {
  if (!range) return without;
  if (range->low == range->high) return fmt::format("{:.5g}", range->low);
  return fmt::format("{:.5g} to {:.5g}", range->low, range->high);
}

nlohmann::ordered_json range_document(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return nlohmann::ordered_json::array({range->low, range->high});
}

/// What was said is of the whole length.
bool can_be_judged(const PhaseResult& result) { return result.measured() && !result.interrupted; }

/// Only of a result that can be judged.
bool met(const Expectation& expectation, const PhaseResult& result) {
  return !expectation.predicted || expectation.predicted->holds(expectation.measure(result));
}

}  // namespace

std::vector<Expectation> expectations_of(const Phase& phase, Duration length) {
  const PhaseResult ideal = ideal_result(phase, length);
  auto list = phase.inject ? of_injected(phase, ideal) : of_baseline(phase, ideal);
  if (length != std::chrono::seconds{5}) {
    for (auto& one : list) one.published.reset();
  }
  return list;
}

Prediction prediction_of(const Expectation& expectation, const PhaseResult* result) {
  Prediction prediction{.phase = std::string(expectation.phase.name),
                        .quantity = expectation.quantity,
                        .predicted = text_of(expectation.predicted, "not predicted"),
                        .why = expectation.why,
                        .published = text_of(expectation.published, "")};
  if (result != nullptr && !can_be_judged(*result)) prediction.published.clear();
  if (result != nullptr && result->measured()) {
    prediction.decimals = expectation.quantity.ends_with(", ms") ? 3 : 0;
    prediction.measured = std::nearbyint(expectation.measure(*result) * 1000) / 1000;
    if (expectation.predicted && can_be_judged(*result)) prediction.met = met(expectation, *result);
  }
  return prediction;
}

nlohmann::ordered_json to_json(const Expectation& expectation, const PhaseResult& result) {
  auto document = lab::to_json(prediction_of(expectation, &result));
  document["predicted_range"] = range_document(expectation.predicted);
  document["published_range"] =
      range_document(can_be_judged(result) ? expectation.published : std::optional<Range>());
  return document;
}

bool as_predicted(const std::vector<Expectation>& expectations, const PhaseResult& result) {
  return can_be_judged(result) && std::all_of(expectations.begin(), expectations.end(),
                                              [&](const Expectation& one) { return met(one, result); });
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
  std::vector<std::string> differing;
  for (const auto& one : expectations) {
    if (can_be_judged(result) && !met(one, result)) differing.push_back(one.quantity);
  }
  const std::string judged =
      !can_be_judged(result)
          ? fmt::format("; ended by the user after {:.1f} s, so not judged", to_seconds(result.length))
      : differing.empty() ? ", as predicted"
                          : fmt::format(", otherwise than predicted in: {}", fmt::join(differing, "; "));
  return fmt::format(
      "{}: {} deadline misses{} and {} skipped periods in {} callbacks, behind a mean interval of {:.3f} "
      "ms{}",
      result.phase.name, counts.deadline_misses,
      causes.empty() ? "" : fmt::format(" ({})", fmt::join(causes, ", ")), counts.skipped_periods,
      counts.callbacks, counts.interval_wall.mean_ms, judged);
}

}  // namespace takt::lab::deadlines
