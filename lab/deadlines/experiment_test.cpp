// SPDX-License-Identifier: Apache-2.0
// What is said of several runs, of results that are made up.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "lab/deadlines/made_up_phases.hpp"
#include "lab/deadlines/results.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// A run for each phase.
Experiment experiment_of(const std::vector<JudgedPhase>& phases) {
  Experiment experiment;
  experiment.wanted_runs = phases.size();
  for (const auto& phase : phases) experiment.runs.push_back({.phases = {phase}});
  return experiment;
}

JudgedPhase with_misses(JudgedPhase phase, std::size_t misses) {
  phase.result.counts.deadline_misses = misses;
  return phase;
}

JudgedPhase with_factor(JudgedPhase phase, double factor) {
  phase.result.rtf = Rtf{.whole = factor, .least = factor, .most = factor, .windows = {}};
  return phase;
}

const Prediction& find_prediction(const std::vector<Prediction>& predictions, const std::string& quantity) {
  return *std::ranges::find(predictions, quantity, &Prediction::quantity);
}

TEST(DeadlinesExperiment, OneRunIsSaidWithItsLength) {
  auto experiment = experiment_of({ideal_phase("wall_injected")});
  EXPECT_EQ(experiment.sentence(), "No simulated clock, 20 deadlines missed in 5 s (wall_injected).");
  EXPECT_THAT(experiment.verdict(), HasSubstr("as predicted"));
  EXPECT_TRUE(experiment.as_predicted());
  EXPECT_FALSE(experiment.partial());
  experiment.setup.length = 120s;
  EXPECT_THAT(experiment.sentence(), HasSubstr("in 120 s ("));
  EXPECT_EQ(experiment_of({phase_ended_early("wall_injected")}).sentence(),
            "No simulated clock, 4 deadlines missed in 1.0 s (wall_injected).");
}

TEST(DeadlinesExperiment, SeveralRunsAreSaidFromTheLowestToTheHighest) {
  const auto phase = ideal_phase("wall_injected");
  const auto experiment = experiment_of({with_misses(phase, 22), phase, with_misses(phase, 21)});
  EXPECT_EQ(experiment.sentence(),
            "No simulated clock, 20 to 22 deadlines missed in 5 s of each of 3 runs (wall_injected).");
  EXPECT_EQ(experiment.verdict(), "wall_injected: 20 to 22 deadline misses, as predicted in 1 of 3 runs.");
  EXPECT_FALSE(experiment.as_predicted());
  const auto predictions = predictions_of(experiment);
  const auto& misses = find_prediction(predictions, "deadline misses");
  EXPECT_EQ(misses.measured, 21);  // the median
  EXPECT_EQ(misses.measured_range, std::pair(20.0, 22.0));
  EXPECT_EQ(misses.met, false);  // not by each
  const auto& skipped = find_prediction(predictions, "skipped periods");
  EXPECT_EQ(skipped.measured, 10);
  EXPECT_FALSE(skipped.measured_range.has_value());
  EXPECT_EQ(skipped.met, true);
}

TEST(DeadlinesExperiment, TheDocumentHasTheRangeOfEachPrediction) {
  const auto phase = ideal_phase("wall_injected");
  const auto document = results_document(experiment_of({phase, with_misses(phase, 22)}));
  std::size_t found = 0;
  for (const auto& one : document["predictions"]) {
    if (one["quantity"] != "deadline misses") continue;
    ++found;
    EXPECT_EQ(one["measured_range"].dump(), "[20.0,22.0]");
    EXPECT_EQ(one["predicted_range"].dump(), "[20.0,20.0]");
  }
  EXPECT_EQ(found, 1U);
}

TEST(DeadlinesExperiment, ARunThatWasEndedEarlyIsNotShownBesideWholeOnes) {
  const auto phase = ideal_phase("wall_injected");
  const auto experiment = experiment_of({phase, phase, phase_ended_early("wall_injected")});
  EXPECT_EQ(experiment.sentence(),
            "No simulated clock, 20 deadlines missed in 5 s of each of 2 runs (wall_injected).");
  EXPECT_EQ(experiment.verdict(), "wall_injected: 20 deadline misses, as predicted in 2 of 3 runs.");
  const auto predictions = predictions_of(experiment);
  const auto& misses = find_prediction(predictions, "deadline misses");
  EXPECT_EQ(misses.measured, 20);
  EXPECT_FALSE(misses.measured_range.has_value());
  EXPECT_EQ(misses.met, true);
  EXPECT_TRUE(experiment.partial());
}

TEST(DeadlinesExperiment, ARunWithoutAFactorDoesNotCountAsZero) {
  const auto phase = ideal_phase("sim_rtf1_injected");
  EXPECT_EQ(experiment_of({phase, with_factor(phase, 0.998)}).sentence(),
            "Real time factor 0.998, 20 deadlines missed in 5 s of each of 2 runs (sim_rtf1_injected).");
  EXPECT_THAT(experiment_of({phase}).sentence(), HasSubstr("Real time factor unknown, 20 deadlines"));
}

TEST(DeadlinesExperiment, WhatAResultDoesNotHaveIsNotJudged) {
  const auto unknown = ideal_phase("sim_rtf1");
  EXPECT_TRUE(as_predicted(unknown.expectations, unknown.result));
  EXPECT_THAT(summary_of(unknown.expectations, unknown.result), Not(HasSubstr("otherwise")));
  const auto alone = predictions_of(experiment_of({unknown}));
  EXPECT_FALSE(find_prediction(alone, "real time factor of the publisher").met.has_value());
  const auto slow = with_factor(unknown, 0.9);
  EXPECT_FALSE(as_predicted(slow.expectations, slow.result));
  const auto both = predictions_of(experiment_of({unknown, slow}));
  EXPECT_EQ(find_prediction(both, "real time factor of the publisher").met, false);
}

TEST(DeadlinesExperiment, FewerRunsThanWantedArePartial) {
  auto experiment = experiment_of({ideal_phase("wall_injected")});
  experiment.wanted_runs = 5;
  EXPECT_TRUE(experiment.partial());
  EXPECT_TRUE(results_document(experiment)["partial"]);
  experiment.runs.clear();
  EXPECT_EQ(experiment.sentence(), "Nothing was measured.");
  EXPECT_EQ(experiment.verdict(), "Nothing was measured.");
}

TEST(DeadlinesExperiment, ASecondRunMakesUpForAPhaseThatWasNotMeasuredInTheFirst) {
  const auto experiment = experiment_of({unmeasured_phase("wall_injected"), ideal_phase("wall_injected")});
  EXPECT_THAT(experiment.sentence(), HasSubstr("20 deadlines missed in 5 s (wall_injected)"));
  EXPECT_EQ(experiment.shown(), &experiment.runs[1].phases[0].result);
  EXPECT_THAT(experiment_of({unmeasured_phase("wall_injected"), unmeasured_phase("wall_injected")}).verdict(),
              HasSubstr("no count of deadline misses, as predicted in 0 of 2 runs"));
}

TEST(DeadlinesExperiment, EachOfSeveralRunsHasItsTableOfLongestIntervals) {
  const auto phase = ideal_phase("wall_injected");
  const auto tables = longest_tables(experiment_of({phase, phase}));
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_THAT(tables[1].title, HasSubstr("(run 2)"));
  EXPECT_THAT(longest_tables(experiment_of({phase})).at(0).title, Not(HasSubstr("run")));
}

}  // namespace
}  // namespace takt::lab::deadlines
