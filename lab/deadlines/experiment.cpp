// SPDX-License-Identifier: Apache-2.0
// What an experiment says as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "lab/deadlines/results.hpp"

namespace takt::lab::deadlines {
namespace {

/// The factor and the misses side by side are shown best where there are both; else where there is one.
constexpr std::array<std::string_view, 5> kShownFirst{"sim_rtf1_injected", "sim_rtf1", "sim_rtf05",
                                                      "wall_injected", "wall_baseline"};

/// "20" or "18 to 20"; at least one is needed.
template <class Value>
std::string spread(const Results& results, const char* format, Value value) {
  std::vector<double> values;
  for (const auto* result : results) values.push_back(value(*result));
  const auto [low, high] = std::ranges::minmax(values);
  const auto text = [&](double one) { return fmt::format(fmt::runtime(format), one); };
  return text(low) == text(high) ? text(low) : text(low) + " to " + text(high);
}

std::string misses_of(const Results& results) {
  return spread(results, "{:.0f}",
                [](const PhaseResult& r) { return static_cast<double>(r.counts.deadline_misses); });
}

std::string factors_of(const Results& results) {
  if (!results.front()->phase.simulated()) return "No simulated clock";
  Results known;
  std::ranges::copy_if(results, std::back_inserter(known), [](const auto* r) { return r->rtf.has_value(); });
  if (known.empty()) return "Real time factor unknown";
  return "Real time factor " + spread(known, "{:.4g}", [](const PhaseResult& r) { return r.rtf->whole; });
}

/// "5 s of each of 5 runs": what was measured, which is less than was asked for where the user ended it.
std::string length_text(const Results& results, Duration whole) {
  const auto& first = *results.front();
  auto text = first.interrupted ? fmt::format("{:.1f} s", to_seconds(first.length))
                                : fmt::format("{:g} s", to_seconds(whole));
  if (results.size() > 1) text += fmt::format(" of each of {} runs", results.size());
  return text;
}

/// Of the phase that the sentence is about; empty: nothing was measured.
Results shown_results(const Experiment& experiment) {
  if (experiment.runs.empty()) return {};
  const auto& phases = experiment.runs.front().phases;
  for (const auto name : kShownFirst) {
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (phases[i].result.phase.name != name) continue;
      if (auto results = with_figures(experiment.results_of(i)); !results.empty()) return results;
    }
  }
  return {};
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
  const auto results = shown_results(*this);
  return results.empty() ? nullptr : results.front();
}

std::string Experiment::sentence() const {
  const auto results = shown_results(*this);
  if (results.empty()) return "Nothing was measured.";
  return fmt::format("{}, {} deadlines missed in {} ({}).", factors_of(results), misses_of(results),
                     length_text(results, setup.length), results.front()->phase.name);
}

std::string Experiment::verdict(std::string_view between) const {
  if (runs.empty()) return "Nothing was measured.";
  if (runs.size() == 1) return runs.front().verdict(between);
  std::vector<std::string> phases_said;
  for (std::size_t i = 0; i < runs.front().phases.size(); ++i) {
    const auto all = results_of(i);
    const auto results = with_figures(all);
    const auto good = std::ranges::count_if(all, [&](const PhaseResult* result) {
      return deadlines::as_predicted(runs.front().phases[i].expectations, *result);
    });
    phases_said.push_back(
        fmt::format("{}: {} deadline misses, as predicted in {} of {} runs", all.front()->phase.name,
                    results.empty() ? "no count of" : misses_of(results), good, all.size()));
  }
  return fmt::format("{}.", fmt::join(phases_said, between));
}

bool Experiment::as_predicted() const {
  for (const auto& run : runs) {
    for (const auto& phase : run.phases) {
      if (!deadlines::as_predicted(phase.expectations, phase.result)) return false;
    }
  }
  return !runs.empty();
}

bool Experiment::partial() const {
  return runs.size() < wanted_runs || std::ranges::any_of(runs, &Run::partial);
}

std::vector<Prediction> predictions_of(const Experiment& experiment) {
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; !experiment.runs.empty() && i < experiment.runs.front().phases.size(); ++i) {
    for (const auto& one : experiment.runs.front().phases[i].expectations)
      predictions.push_back(prediction_of(one, experiment.results_of(i)));
  }
  return predictions;
}

}  // namespace takt::lab::deadlines
