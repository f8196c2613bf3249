// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/priority/command.hpp"
#include "lab/priority/experiment.hpp"

namespace takt::lab {
namespace {

using namespace priority;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Parses as the command line does; the exit code of a refusal, else 0.
int parse(std::vector<std::string> words, PriorityOptions& options) {
  CLI::App app;
  add_priority(app, options);
  words.insert(words.begin(), "priority");
  std::ranges::reverse(words);
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code();
  }
  return 0;
}

bool accepts(const std::vector<std::string>& words) {
  PriorityOptions options;
  return parse(words, options) == 0;
}

TEST(PriorityOptionsTest, Defaults) {
  PriorityOptions options;
  ASSERT_EQ(parse({}, options), 0);
  EXPECT_EQ(options.design, "all");
  EXPECT_DOUBLE_EQ(options.seconds, 60);
  EXPECT_EQ(options.scheduling, "both");
  EXPECT_EQ(options.load, "stress-ng");
  EXPECT_EQ(options.work, "wall");
  EXPECT_EQ(options.priority, 90);
  EXPECT_FALSE(options.keep_awake || options.json);
}

TEST(PriorityOptionsTest, WhatMakesNoSenseIsRefused) {
  EXPECT_TRUE(accepts(
      {"--design", "3", "--seconds", "0.5", "--scheduling", "rt", "--load", "none", "--work", "cpu"}));
  for (const auto& words : std::vector<std::vector<std::string>>{{"--design", "4"},
                                                                 {"--seconds", "0"},
                                                                 {"--seconds", "-5"},
                                                                 {"--seconds", "1e9"},
                                                                 {"--seconds", "nan"},
                                                                 {"--scheduling", "fifo"},
                                                                 {"--load", "some"},
                                                                 {"--work", "none"},
                                                                 {"--priority", "0"},
                                                                 {"--priority", "99"},
                                                                 {"--unknown"},
                                                                 {"--out"}}) {
    EXPECT_FALSE(accepts(words)) << words.front() << " " << words.back();
  }
}

RunPlan plan_of(int design, bool real_time, LoadKind load = LoadKind::stress_ng) {
  return {.design = &all_designs()[static_cast<std::size_t>(design - 1)],
          .real_time = real_time,
          .load = load,
          .length = 1s};
}

TEST(PriorityFactsTest, ComparedCallbacksDoTheSameWork) {
  for (const auto& design : all_designs()) {
    if (design.compared_critical.empty()) continue;
    const auto* critical = find_callback(design, design.compared_critical);
    const auto* other = find_callback(design, design.compared_other);
    ASSERT_TRUE(critical != nullptr && other != nullptr);
    EXPECT_TRUE(critical->critical);
    EXPECT_FALSE(other->critical);
    EXPECT_DOUBLE_EQ(critical->work_ms, other->work_ms);
  }
}

timing::ActivationRecord record(timing::SectionId section, std::int64_t start_ms, std::int64_t finish_ms,
                                timing::SectionId origin = 0, std::int64_t origin_ms = 0) {
  timing::ActivationRecord r;
  r.section = section;
  r.start_ns = start_ms * 1'000'000;
  r.finish_ns = finish_ms * 1'000'000;
  r.origin_section = origin;
  r.origin_ns = origin_ms * 1'000'000;
  return r;
}

/// A pipeline run with one end-to-end time.
RunResult pipeline_run(bool real_time, std::int64_t end_to_end_ms) {
  RunResult result{.plan = plan_of(3, real_time)};
  result.names = {{1, "sensor_driver/scan"}, {2, "brake_actuator/react"}};
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto begin = 1000 + 10 * k;
    result.records.push_back(record(1, begin, begin + 1, 1, begin));
    result.records.push_back(record(2, begin + end_to_end_ms - 2, begin + end_to_end_ms, 1, begin));
  }
  sort_samples(result);
  return result;
}

TEST(PrioritySamplesTest, ExecutionPeriodAndChainComeFromTheRecords) {
  const auto run = pipeline_run(true, 7);
  const auto& sensor = run.samples.at("sensor_driver/scan");
  EXPECT_THAT(sensor.execution_ms, testing::Each(1.0));
  EXPECT_EQ(sensor.execution_ms.size(), 5U);
  EXPECT_EQ(sensor.period_ms.size(), 4U);
  EXPECT_THAT(sensor.period_ms, testing::Each(10.0));
  EXPECT_DOUBLE_EQ(sensor.period_at_s.front(), 0.01);
  const auto& chain = run.samples.at(std::string(kChain));
  EXPECT_EQ(chain.execution_ms.size(), 5U);
  EXPECT_THAT(chain.execution_ms, testing::Each(7.0));
}

TEST(PrioritySamplesTest, AChainThatBeganBeforeTheMeasurementIsLeftOut) {
  RunResult result{.plan = plan_of(3, true)};
  result.names = {{1, "sensor_driver/scan"}, {2, "brake_actuator/react"}};
  result.records = {record(2, 1005, 1007, 1, 999), record(2, 1015, 1017, 0, 0)};
  sort_samples(result);
  EXPECT_FALSE(result.samples.contains(kChain));
}

TEST(PriorityPredictionTest, AreMetOrNotByTheRuns) {
  const std::vector<RunPlan> plans = {plan_of(3, true), plan_of(3, false)};
  const auto claims = claims_about(plans, 0.1);
  const std::vector<RunResult> results = {pipeline_run(true, 7), pipeline_run(false, 30)};
  const auto checked = check(claims, results);
  ASSERT_EQ(checked.size(), claims.size());
  for (const auto& prediction : checked) {
    EXPECT_EQ(prediction.met, true) << prediction.phase << ": " << prediction.quantity;
    EXPECT_FALSE(prediction.predicted.empty() || prediction.why.empty());
  }
  const std::vector<RunResult> slow = {pipeline_run(true, 12), pipeline_run(false, 30)};
  const auto slower = check(claims, slow);
  EXPECT_TRUE(std::ranges::any_of(slower, [](const Prediction& p) { return p.met == false; }));
}

TEST(PriorityPredictionTest, ARunThatIsNotUsedJudgesNothing) {
  const std::vector<RunPlan> plans = {plan_of(3, true), plan_of(3, false)};
  std::vector<RunResult> results = {pipeline_run(true, 7), pipeline_run(false, 30)};
  results[0].not_used = "core 0 was idle";
  for (const auto& prediction : check(claims_about(plans, 0.1), results)) {
    EXPECT_EQ(prediction.met.has_value(), prediction.phase == "design 3, default priority")
        << prediction.phase;
  }
}

TEST(PriorityPredictionTest, ARunThatWasEndedEarlyIsShownAndNotJudged) {
  const std::vector<RunPlan> plans = {plan_of(3, true), plan_of(3, false)};
  std::vector<RunResult> results = {pipeline_run(true, 7), pipeline_run(false, 30)};
  results[1].interrupted = true;
  for (const auto& prediction : check(claims_about(plans, 0.1), results)) {
    EXPECT_TRUE(prediction.measured.has_value()) << prediction.quantity;
    EXPECT_EQ(prediction.met.has_value(), prediction.phase == "design 3, FIFO 90") << prediction.quantity;
  }
}

TEST(PriorityPredictionTest, ClaimsNeedTheirRuns) {
  EXPECT_TRUE(claims_about({}, 0.1).empty());
  const std::vector<RunPlan> unloaded = {plan_of(1, false, LoadKind::none),
                                         plan_of(3, false, LoadKind::none)};
  EXPECT_TRUE(claims_about(unloaded, 0.1).empty());  // without load the default priority promises nothing
  const std::vector<RunPlan> one = {plan_of(2, true)};
  for (const auto& claim : claims_about(one, 0.1)) EXPECT_EQ(claim.prediction.phase, "design 2, FIFO 90");
}

TEST(PriorityPredictionTest, AVirtualMachineWakesUpLater) {
  EXPECT_DOUBLE_EQ(expected_wake_up_ms({.virtualization = "none"}), 0.1);
  EXPECT_DOUBLE_EQ(expected_wake_up_ms({.virtualization = "kvm"}), 1);
}

TEST(PriorityExperimentTest, ThePlanSaysWhatAndWhy) {
  Experiment experiment;
  experiment.plans = {plan_of(3, true), plan_of(3, false)};
  experiment.claims = claims_about(experiment.plans, 0.1);
  const auto plan = plan_text(experiment);
  EXPECT_THAT(plan, HasSubstr("design 3, FIFO 90"));
  EXPECT_THAT(plan, HasSubstr("at most 7.632"));
  EXPECT_THAT(plan, HasSubstr("7.36"));
}

TEST(PriorityExperimentTest, RawDataHasOneLinePerActivation) {
  const auto csv = raw_csv(pipeline_run(true, 7));
  EXPECT_TRUE(
      csv.starts_with("callback,release_ns,start_ns,finish_ns,origin,origin_ns,skipped,missed\n"
                      "sensor_driver/scan,0,1000000000,1001000000,sensor_driver/scan,1000000000,0,0\n"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 11);
}

TEST(PriorityExperimentTest, TablesSayWhatIsNotPublished) {
  RunResult normal{.plan = plan_of(1, false)};
  EXPECT_THAT(to_text(callbacks_table(normal)), HasSubstr("No figures are published"));
  RunResult real_time{.plan = plan_of(1, true)};
  EXPECT_THAT(to_text(callbacks_table(real_time)), HasSubstr("2.003 / 2.009"));
}

/// Runs the whole experiment for a moment, without load and without a privilege.
class PriorityRunTimingTest : public testing::Test {
 protected:
  int run(PriorityOptions options) {
    options.out = tree_.root().string();
    options.seconds = 1;  // a busy machine may let it run for a part of that only
    options.load = "none";
    options.json = true;
    Console console(true, out_, err_, false);
    return run_priority(options, console);
  }
  nlohmann::json document() const { return nlohmann::json::parse(out_.str()); }
  int violations() const {
    const std::string source = TAKT_SOURCE_DIR;
    const auto command = "/usr/bin/python3 -B " + source + "/tools/validate_json.py " + source +
                         "/docs/formats/lab-priority.schema.json " + (tree_.root() / "results.json").string();
    return std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
  }

  FakeTree tree_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(PriorityRunTimingTest, EveryDesignRunsAndIsWritten) {
  ASSERT_EQ(run({.scheduling = "normal"}), kDone) << err_.str();
  const auto json = document();
  ASSERT_EQ(json["designs"].size(), 3U);
  for (const auto& design : json["designs"]) {
    std::set<std::string> names;
    for (const auto& verdict : design["callbacks"]) {
      names.insert(verdict["name"]);
      if (verdict["period_ms"] != 100.0) {
        EXPECT_GE(verdict["activations"], 1) << verdict["name"];
      }
    }
    for (const auto& facts : all_designs()[design["design"].get<std::size_t>() - 1].callbacks) {
      EXPECT_TRUE(names.contains(std::string(facts.name))) << facts.name;
    }
    EXPECT_TRUE(std::filesystem::exists(tree_.root() / design["raw_file"].get<std::string>()));
    EXPECT_EQ(design["partial"], false);
  }
  const auto& chain = json["designs"][2]["chain"];
  EXPECT_GE(chain["latency_ms"]["count"], 1);
  EXPECT_GE(chain["latency_ms"]["p50"], kPipelineWorkMs);
  EXPECT_EQ(chain["verdict"]["kind"], "chain");
  EXPECT_TRUE(json["designs"][0]["chain"].is_null());
  EXPECT_EQ(json, nlohmann::json::parse(text_of(tree_.root() / "results.json")));
  EXPECT_EQ(violations(), 0);
  EXPECT_THAT(text_of(tree_.root() / "report.html"), HasSubstr("id=\"chart-"));
  EXPECT_THAT(text_of(tree_.root() / "plan.md"), HasSubstr("# Plan"));
}

TEST_F(PriorityRunTimingTest, WithTheFifoPrivilegeBothRunWithoutItOneIsNotJudged) {
  ASSERT_EQ(run({.design = "1", .scheduling = "both", .priority = 10}), kDone) << err_.str();
  const auto json = document();
  ASSERT_EQ(json["designs"].size(), 2U);
  const auto& real_time = json["designs"][0];
  EXPECT_EQ(real_time["scheduling"], "fifo");
  if (real_time_permission(10).granted) {
    EXPECT_TRUE(real_time["refused"].is_null());
    for (const auto& verdict : real_time["callbacks"]) {
      const bool critical = verdict["node"] == "consumer";
      EXPECT_EQ(verdict["scheduling"]["granted"]["policy"], critical ? "fifo" : "other") << verdict["name"];
    }
  } else {
    EXPECT_FALSE(real_time["refused"].is_null());
    EXPECT_THAT(err_.str(), HasSubstr("NOT JUDGED"));
  }
  EXPECT_EQ(violations(), 0);
}

TEST_F(PriorityRunTimingTest, WorkOnCpuTimeIsSaid) {
  ASSERT_EQ(run({.design = "2", .scheduling = "normal", .work = "cpu"}), kDone);
  EXPECT_EQ(document()["designs"][0]["work"], "cpu");
}

/// Asks for the end as soon as a file of the name is there.
void interrupt_when_there_is(const std::filesystem::path& file) {
  for (int i = 0; i < 3000 && !std::filesystem::exists(file); ++i) std::this_thread::sleep_for(10ms);
  Interrupt::request();
}

TEST_F(PriorityRunTimingTest, WhatWasFinishedBeforeTheUserEndedItIsWritten) {
  std::thread user([this] { interrupt_when_there_is(tree_.root() / "design1-normal.csv"); });
  ASSERT_EQ(run({.scheduling = "normal"}), kDone) << err_.str();
  user.join();
  const auto json = document();
  EXPECT_EQ(json["partial"], true);
  EXPECT_TRUE(json["designs"][0]["not_used"].is_null());
  if (json["designs"].size() > 1 && json["designs"][1]["measured_s"] == 0.0) {
    EXPECT_THAT(json["designs"][1]["not_used"].get<std::string>(), HasSubstr("before anything was measured"));
  }
  EXPECT_EQ(violations(), 0);
}

TEST_F(PriorityRunTimingTest, AFolderThatCannotBeWrittenStopsItBeforeItRuns) {
  tree_.put("taken", "");
  std::ostringstream out, err;
  Console console(true, out, err, false);
  EXPECT_THROW(
      run_priority({.seconds = 3000, .load = "none", .out = (tree_.root() / "taken").string()}, console),
      CannotMeasure);
}

}  // namespace
}  // namespace takt::lab
