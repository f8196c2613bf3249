// SPDX-License-Identifier: Apache-2.0
// A run that the user ends early: what is kept of it, and what is not said of it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "lab/common/interrupt.hpp"
#include "lab/deadlines/lines.hpp"
#include "lab/deadlines/made_up_phases.hpp"
#include "lab/deadlines/results.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

TEST(DeadlinesPartial, PredictionsOfTheWholeLengthAreNotJudged) {
  const auto [expectations, result] = phase_ended_early("wall_injected");
  for (const auto& one : expectations) {
    const auto prediction = prediction_of(one, {&result});
    EXPECT_TRUE(prediction.measured.has_value()) << one.quantity;
    EXPECT_FALSE(prediction.met.has_value()) << one.quantity;
    EXPECT_EQ(prediction.published, "") << one.quantity;
    EXPECT_TRUE(to_json(one, {&result})["published_range"].is_null()) << one.quantity;
  }
  EXPECT_FALSE(as_predicted(expectations, result));
  EXPECT_THAT(summary_of(expectations, result), HasSubstr("after 1.0 s, so not judged"));
  EXPECT_THAT(summary_of(expectations, result), Not(HasSubstr("predicted in")));
  const auto whole = ideal_phase("wall_injected", 1s);
  EXPECT_THAT(summary_of(whole.expectations, whole.result),
              HasSubstr("otherwise than predicted in: callbacks"));
}

TEST(DeadlinesPartial, TheLineSaysSoAndAWholeOneHasThePublishedFieldsOnly) {
  EXPECT_TRUE(phase_line(phase_ended_early("wall_injected").result)["partial"]);
  EXPECT_FALSE(phase_line(ideal_phase("wall_injected", 1s).result).contains("partial"));
  EXPECT_EQ(phase_line(unmeasured_phase("wall_injected").result).dump(),
            R"({"phase":"wall_injected","partial":true,"not_measured":"why"})");
  EXPECT_FALSE(done_line(1s, "", "", false).contains("partial"));
  EXPECT_TRUE(done_line(1s, "", "", true)["partial"]);
}

TEST(DeadlinesPartial, AFinishedPhaseIsKeptBesideOneThatWasNotMeasured) {
  Experiment experiment;
  experiment.runs = {{.phases = {ideal_phase("wall_injected", 1s), unmeasured_phase("wall_injected")}}};
  EXPECT_TRUE(experiment.partial());
  EXPECT_FALSE(experiment.as_predicted());
  EXPECT_THAT(experiment.verdict(), HasSubstr("wall_injected: not measured (why)"));
  const auto document = results_document(experiment);
  EXPECT_TRUE(document["partial"]);
  EXPECT_EQ(document["runs"][0]["phases"].size(), 2U);
  EXPECT_THAT(report_html(experiment), HasSubstr("Not measured: why."));
}

TEST(DeadlinesPartial, ASignalBeforeThreeCallbacksGivesAPhaseThatWasNotMeasured) {
  const Interrupt interrupt;
  Interrupt::request();
  const auto result = run_phase(*find_phase("wall_baseline"), {.length = 100s});
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.measured());
}

TEST(DeadlinesPartialTimingTest, ASignalInThePhaseLeavesWhatRan) {
  const Interrupt interrupt;
  const std::jthread user([] {
    std::this_thread::sleep_for(500ms);
    Interrupt::request();
  });
  const auto result = run_phase(*find_phase("wall_baseline"), {.length = 100s});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.measured(), result.rows.size() >= kFewestRows);  // a busy machine may have let none run
}

}  // namespace
}  // namespace takt::lab::deadlines
