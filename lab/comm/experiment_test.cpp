// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lab/comm/comm_test_support.hpp"
#include "lab/comm/experiment.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"

namespace takt::lab::comm {
namespace {

using example::machine;
using example::plan_of_stage;
using example::results_of;
using testing::HasSubstr;
using testing::ThrowsMessage;

class CommResume : public testing::Test {
 protected:
  Experiment experiment() const { return {.plan = plan_of_stage("smoke"), .machine = machine()}; }
  void put_plan(const Plan& plan) { tree_.put("plan.json", plan_json(plan, machine()).dump()); }

  FakeTree tree_;
};

TEST_F(CommResume, AnUnfinishedRunOfTheSamePlanGoesOn) {
  put_plan(plan_of_stage("smoke"));
  tree_.put("results.json", results_of("6.1", 9, "ahead").dump());
  auto run = experiment();
  resume(run, tree_.root());
  EXPECT_EQ(run.points_done(), 1U);
  EXPECT_FALSE(run.complete());
  EXPECT_EQ(run.envelope.started_at, "2026-01-31T12:00:00Z");
}

TEST_F(CommResume, AFolderWithoutAPlanIsBegunAnew) {
  auto run = experiment();
  resume(run, tree_.root());
  EXPECT_EQ(run.points_done(), 0U);
}

TEST_F(CommResume, AnotherPlanIsRefusedByName) {
  auto other = plan_of_stage("smoke");
  other.rounds = 3;
  put_plan(other);
  auto run = experiment();
  EXPECT_THAT([&] { resume(run, tree_.root()); },
              ThrowsMessage<CannotMeasure>(HasSubstr("another plan: rounds is 3 there and 9 here")));
}

TEST_F(CommResume, WhatIsNoDocumentIsRefused) {
  put_plan(plan_of_stage("smoke"));
  auto run = experiment();
  tree_.put("results.json", "{");
  EXPECT_THROW(resume(run, tree_.root()), CannotMeasure);
  tree_.put("results.json", "{}");
  EXPECT_THROW(resume(run, tree_.root()), CannotMeasure);
  auto cut = results_of("6.1", 9, "ahead");
  cut["cells"].erase(1);
  tree_.put("results.json", cut.dump());
  EXPECT_THROW(resume(run, tree_.root()), CannotMeasure);
}

TEST_F(CommResume, TheFullStageWantsACleanSmokeStageOfThisMachine) {
  const auto folder = tree_.root().string();
  const auto refused = [&](const char* why) {
    EXPECT_THAT([&] { check_smoke(folder, machine()); }, ThrowsMessage<CannotMeasure>(HasSubstr(why)));
  };
  EXPECT_THROW(check_smoke("", machine()), CannotMeasure);
  tree_.put("results.json", results_of("6.1", 9, "ahead").dump());
  EXPECT_NO_THROW(check_smoke(folder, machine()));
  tree_.put("results.json", results_of("6.2", 9, "ahead").dump());
  refused("another machine: kernel");
  auto results = results_of("6.1", 9, "ahead");
  results["warnings"].push_back("udp failed");
  tree_.put("results.json", results.dump());
  refused("udp failed");
  results["partial"] = true;
  tree_.put("results.json", results.dump());
  refused("not whole");
}

}  // namespace
}  // namespace takt::lab::comm
