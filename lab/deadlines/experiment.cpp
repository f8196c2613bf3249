// SPDX-License-Identifier: Apache-2.0
// What an experiment says as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/deadlines/results.hpp"

namespace takt::lab::deadlines {
namespace {

/// The factor and the misses side by side are shown best where there are both; else where there is one.
constexpr std::array<std::string_view, 5> kShownFirst{"sim_rtf1_injected", "sim_rtf1", "sim_rtf05",
                                                      "wall_injected", "wall_baseline"};

/// "20" or "18 to 20"; at least one must be measured.
template <class Value>
std::string spread(const Results& results, const char* format, Value value) {
  std::vector<double> values;
  for (const auto* result : results) {
    if (result->measured()) values.push_back(value(*result));
  }
  const auto [low, high] = std::ranges::minmax(values);
  const auto text = [&](double one) { return fmt::format(fmt::runtime(format), one); };
  return text(low) == text(high) ? text(low) : text(low) + " to " + text(high);
}

std::string misses_of(const Results& results) {
  return spread(results, "{:.0f}",
                [](const PhaseResult& r) { return static_cast<double>(r.counts.deadline_misses); });
}

}  // namespace

std::string Run::verdict(std::string_view between) const {
  std::vector<std::string> phases_said;
  for (const auto& phase : phases) phases_said.push_back(summary_of(phase.expectations, phase.result));
  return fmt::format("{}.", fmt::join(phases_said, between));
}

bool Run::partial() const {
  return std::ranges::any_of(
      phases, [](const JudgedPhase& phase) { return phase.result.interrupted || !phase.result.measured(); });
}

Results Experiment::results_of(std::size_t index) const {
  Results results;
  for (const auto& run : runs) {
    if (index < run.phases.size()) results.push_back(&run.phases[index].result);
  }
  return results;
}

const PhaseResult* Experiment::shown() const {
  for (const auto name : kShownFirst) {
    for (const auto& run : runs) {
      for (const auto& phase : run.phases) {
        if (phase.result.phase.name == name && phase.result.measured()) return &phase.result;
      }
    }
  }
  return nullptr;
}

std::string Experiment::sentence() const {
  const PhaseResult* result = shown();
  if (result == nullptr) return "Nothing was measured.";
  Results results;
  for (const auto& run : runs) {
    for (const auto& phase : run.phases) {
      if (phase.result.phase.name == result->phase.name && phase.result.measured())
        results.push_back(&phase.result);
    }
  }
  const auto where = fmt::format("in {:.2g} s{} ({})", to_seconds(result->length),
                                 results.size() > 1 ? fmt::format(" of each of {} runs", results.size()) : "",
                                 result->phase.name);
  if (!result->rtf)
    return fmt::format("No simulated clock, {} deadlines missed {}.", misses_of(results), where);
  const auto factor =
      spread(results, "{:.4g}", [](const PhaseResult& r) { return r.rtf ? r.rtf->whole : 0.0; });
  return fmt::format("Real time factor {}, {} deadlines missed {}.", factor, misses_of(results), where);
}

std::string Experiment::verdict(std::string_view between) const {
  if (runs.size() == 1) return runs.front().verdict(between);
  std::string text;
  for (std::size_t i = 0; !runs.empty() && i < runs.front().phases.size(); ++i) {
    std::size_t good = 0;
    for (const auto& run : runs) {
      if (i < run.phases.size() && deadlines::as_predicted(run.phases[i].expectations, run.phases[i].result))
        ++good;
    }
    const auto results = results_of(i);
    const bool any = std::ranges::any_of(results, &PhaseResult::measured);
    text += fmt::format("{}{}: {} deadline misses, as predicted in {} of {} runs",
                        text.empty() ? "" : between, runs.front().phases[i].result.phase.name,
                        any ? misses_of(results) : "no count of", good, runs.size());
  }
  return text + ".";
}

bool Experiment::as_predicted() const {
  for (const auto& run : runs) {
    for (const auto& phase : run.phases) {
      if (!deadlines::as_predicted(phase.expectations, phase.result)) return false;
    }
  }
  return !runs.empty();
}

bool Experiment::partial() const { return std::ranges::any_of(runs, &Run::partial); }

std::vector<Prediction> predictions_of(const Experiment& experiment) {
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; !experiment.runs.empty() && i < experiment.runs.front().phases.size(); ++i) {
    for (const auto& one : experiment.runs.front().phases[i].expectations)
      predictions.push_back(prediction_of(one, experiment.results_of(i)));
  }
  return predictions;
}

}  // namespace takt::lab::deadlines
