// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "lab/comm/comm_test_support.hpp"
#include "lab/comm/plan.hpp"
#include "takt/core/error.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Json = nlohmann::ordered_json;
using example::machine;
using example::plan_of_stage;
using example::run_of;

TEST(CommPlan, EachStageHasTheMatrixOfItsName) {
  EXPECT_EQ(plan_of_stage("smoke").points().size(), 15U);
  EXPECT_EQ(plan_of_stage("fanout").points().size(), 15U);
  EXPECT_EQ(plan_of_stage("full").points().size(), (9U + 3U) * 9U);
  EXPECT_THAT(plan_of_stage("stress").points(), ElementsAre(Point{8, 512, true}, Point{8, 1024, true}));
  EXPECT_THROW(matrix_of("medium"), SetupError);
}

TEST(CommPlan, LargePayloadsAreMeasuredUntouchedToo) {
  Plan plan{.payloads = {1024, 65'536}, .subscribers = {4}};
  EXPECT_THAT(plan.points(),
              ElementsAre(Point{1024, 4, true}, Point{65'536, 4, true}, Point{65'536, 4, false}));
  EXPECT_EQ(name_of(plan.points().back()), "64 KiB untouched, 4 subscribers");
}

TEST(CommPlan, TheRoundsShareTheSecondsAndTheRateStays) {
  const Plan plan{.rate_hz = 500, .seconds = 9, .rounds = 9, .priority = 40};
  const auto round = plan.round_at({.payload = 4096, .subscribers = 16, .touched = false});
  EXPECT_EQ(round.samples, 500U);
  EXPECT_EQ(round.period_ns, 2'000'000);
  EXPECT_EQ(round.readers, 16U);
  EXPECT_EQ(round.size, 4096U);
  EXPECT_FALSE(round.touched);
  EXPECT_EQ(round.fifo, 40);
}

TEST(CommPlan, DifferencesAreNamed) {
  auto other = plan_of_stage("smoke");
  other.rate_hz = 500;
  auto newer = machine();
  newer["kernel"] = "6.2";
  EXPECT_THAT(differences(plan_json(plan_of_stage("smoke"), machine()), plan_json(other, newer)),
              ElementsAre("rate_hz is 1000.0 there and 500.0 here",
                          "machine.kernel is \"6.1\" there and \"6.2\" here"));
  EXPECT_THAT(differences(Json::parse(R"({"a": 1})"), Json::parse(R"({"b": 2})")),
              ElementsAre("a is 1 there and null here", "b is null there and 2 here"));
  EXPECT_THAT(differences(machine(), machine()), IsEmpty());
}

TEST(CommPlan, ARoundTripIsAnotherPlanAndNamedInEachCell) {
  auto plan = plan_of_stage("smoke");
  plan.round_trip = true;
  EXPECT_THAT(differences(plan_json(plan_of_stage("smoke"), machine()), plan_json(plan, machine())),
              ElementsAre("mode is \"one_way\" there and \"round_trip\" here"));
  const auto cell = cell_json(plan, run_of("takt", {{8}}, 1, 1ms));
  EXPECT_EQ(cell.at("mode"), "round_trip");
  EXPECT_EQ(cell.at("command").back(), "--roundtrip");
  EXPECT_TRUE(plan.round_at({}).round_trip);
}

TEST(CommPlan, TheCoarseStageHasLessTimeForEachOfItsManyCells) {
  EXPECT_EQ(seconds_of("fanout"), 5);
  EXPECT_EQ(seconds_of("coarse"), 1.5);
}

}  // namespace
}  // namespace takt::lab::comm
