// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "lab/comm/comm_test_support.hpp"
#include "lab/comm/predictions.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
using example::judged;
using example::machine;
using example::plan_of_stage;
using example::run_of;

std::optional<Prediction> prediction_about(const std::string& phase, const Plan& plan, const Cells& cells) {
  for (auto& prediction : check(claims_about(plan), cells)) {
    if (prediction.phase == phase) return prediction;
  }
  return std::nullopt;
}

TEST(CommPredictions, EachHasItsReasonAndIsOfStacksThatAreMeasured) {
  auto plan = plan_of_stage("coarse");
  plan.stacks = default_stacks();
  for (const auto& claim : claims_about(plan)) {
    EXPECT_FALSE(claim.prediction.predicted.empty() || claim.prediction.why.empty())
        << claim.prediction.quantity;
    EXPECT_FALSE(claim.measure({}).value.has_value()) << claim.prediction.quantity;
  }
  EXPECT_TRUE(prediction_about("fastdds", plan, {}).has_value());
  plan.stacks = {"takt", "udp"};
  EXPECT_FALSE(prediction_about("fastdds", plan, {}).has_value());
  EXPECT_FALSE(prediction_about("floor", plan, {}).has_value());
  EXPECT_EQ(plan_document(plan, machine()).at("predictions").size(), claims_about(plan).size());
}

TEST(CommPredictions, TheFloorIsJudgedWhereEveryCellIs) {
  const auto plan = plan_of_stage("fanout");
  const auto bells = cell_json(plan, run_of("futex-bells", {{8}}, 1, 1ms));
  const auto near = judged(bells, "level", 1.1);
  const auto far = judged(bells, "behind", 1.4);
  EXPECT_EQ(prediction_about("floor", plan, {near})->met, true);
  EXPECT_EQ(prediction_about("floor", plan, {near, far})->met, false);
  EXPECT_EQ(prediction_about("floor", plan, {near, far})->measured, 1.4);
  EXPECT_FALSE(prediction_about("floor", plan, {near, judged(bells, "not judged", 1.1)})->met.has_value());
}

TEST(CommPredictions, AheadEverywhereIsMissedByOneCell) {
  auto plan = plan_of_stage("fanout");
  plan.stacks = {"takt", "unix"};
  const auto cell = cell_json(plan, run_of("unix", {{8}}, 1, 1ms));
  const auto ahead = judged(cell, "ahead", 0.5);
  EXPECT_EQ(prediction_about("unix", plan, {ahead, judged(cell, "not judged", 1)})->met, true);
  EXPECT_EQ(prediction_about("unix", plan, {ahead, judged(cell, "level", 1)})->measured, 0.5);
  EXPECT_EQ(prediction_about("unix", plan, {ahead, judged(cell, "level", 1)})->met, false);
  EXPECT_FALSE(prediction_about("unix", plan, {judged(cell, "not judged", 1)})->met.has_value());
}

TEST(CommPredictions, LossOfTaktCountsWhereTheFloorHoldsTheRate) {
  auto plan = plan_of_stage("fanout");
  plan.rate_hz = 1000;
  auto takt = cell_json(plan, run_of("takt", {{8}}, 2, 2ms));
  takt["takt"] = nullptr;
  const auto holds = judged(cell_json(plan, run_of("futex-bells", {{8}}, 2, 2ms)), "ahead", 1);
  const auto fails = judged(cell_json(plan, run_of("futex-bells", {{8}}, 2, 4ms)), "ahead", 1);
  EXPECT_EQ(prediction_about("takt", plan, {takt, holds})->measured, 1);
  EXPECT_EQ(prediction_about("takt", plan, {takt, holds})->met, false);
  EXPECT_FALSE(prediction_about("takt", plan, {takt, fails})->measured.has_value());
}

}  // namespace
}  // namespace takt::lab::comm
