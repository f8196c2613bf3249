// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "lab/comm/cell.hpp"
#include "lab/comm/compare.hpp"
#include "lab/comm/experiment.hpp"
#include "lab/comm/pace.hpp"
#include "lab/comm/predictions.hpp"
#include "lab/comm/published.hpp"
#include "lab/comm/roudi.hpp"
#include "lab/comm/tables.hpp"
#include "lab/comm/verdict.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

Plan plan_of_stage(const std::string& stage) {
  const auto matrix = matrix_of(stage);
  return {.stage = stage,
          .stacks = {"takt", "futex-bells"},
          .payloads = matrix.payloads,
          .subscribers = matrix.subscribers};
}

const Json kMachine = {{"kernel", "6.1"}, {"cpu_model", "A"}, {"cpus_online", 2}, {"takt_version", "1"}};

CellRun run_of(const char* stack, std::vector<std::vector<float>> latency_us, std::uint64_t sent,
               Duration sending) {
  RoundResult round;
  round.latency_us = std::move(latency_us);
  round.publish_us.assign(sent, 1.0F);
  round.sent = sent;
  round.sending = sending;
  round.publisher_cpu = 10us;
  round.subscriber_cpu = 12us;
  round.rss_kib = 2048;
  const auto readers = static_cast<std::uint32_t>(round.latency_us.size());
  return {.stack = find_stack(stack),
          .point = {.payload = 64, .subscribers = readers, .touched = true},
          .rounds = {std::move(round)}};
}

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
  auto machine = kMachine;
  machine["kernel"] = "6.2";
  EXPECT_THAT(differences(plan_json(plan_of_stage("smoke"), kMachine), plan_json(other, machine)),
              ElementsAre("rate_hz is 1000.0 there and 500.0 here",
                          "machine.kernel is \"6.1\" there and \"6.2\" here"));
  EXPECT_THAT(differences(Json::parse(R"({"a": 1})"), Json::parse(R"({"b": 2})")),
              ElementsAre("a is 1 there and null here", "b is null there and 2 here"));
  EXPECT_THAT(differences(kMachine, kMachine), IsEmpty());
}

TEST(CommStage, ArraysOfAStageDoNotOverlap) {
  Round round{.readers = 3, .size = 100, .samples = 5};
  std::vector<std::byte> memory(Stage::bytes_for(round) + 4096);
  void* place = memory.data();
  auto space = memory.size();
  auto& stage = *static_cast<Stage*>(std::align(4096, Stage::bytes_for(round), place, space));
  stage.round = round;
  std::ranges::fill(stage.publish_us(), 1.0F);
  for (std::size_t i = 0; i < 3; ++i) std::ranges::fill(stage.latency_us(i), 2.0F + static_cast<float>(i));
  for (std::uint64_t i = 0; i < 25; ++i) stage.sent_ns(i).store(7);
  std::ranges::fill(stage.buffer(), std::byte{9});
  EXPECT_THAT(stage.publish_us(), testing::Each(1.0F));
  EXPECT_THAT(stage.latency_us(0), testing::Each(2.0F));
  EXPECT_THAT(stage.latency_us(2), testing::Each(4.0F));
  EXPECT_EQ(stage.sent_ns(24).load(), 7);
  EXPECT_EQ(stage.buffer().data() + stage.buffer().size() <= memory.data() + memory.size(), true);
}

TEST(CommCell, FiguresAreOfAllRoundsAndTheLossIsCounted) {
  const Plan plan{.rate_hz = 1000, .seconds = 0.004, .rounds = 1};
  const auto cell = cell_json(plan, run_of("takt", {{1, 2, 3, 4}, {5, 6}}, 4, 4ms));
  EXPECT_EQ(cell.at("sent"), 4);
  EXPECT_EQ(cell.at("received"), 6);
  EXPECT_EQ(cell.at("lost"), 2);
  EXPECT_EQ(cell.at("delivery"), "loss");
  EXPECT_EQ(cell.at("saturated"), false);
  EXPECT_EQ(cell.at("mean_us"), 3.5);
  EXPECT_EQ(cell.at("max_us"), 6.0);
  EXPECT_EQ(cell.at("publisher_cpu_us"), 2.5);
  EXPECT_EQ(cell.at("subscriber_cpu_us"), 2.0);
  EXPECT_EQ(cell.at("rss_kib"), 2048);
  EXPECT_EQ(cell.at("raw_file"), "raw/takt-64-filled-2.npy");
}

TEST(CommCell, ARateThatIsNotReachedIsSaid) {
  const Plan plan{.rate_hz = 1000, .seconds = 0.004, .rounds = 1};
  const auto cell = cell_json(plan, run_of("udp", {{1, 2, 3}}, 3, 4ms));
  EXPECT_EQ(cell.at("saturated"), true);
  EXPECT_EQ(cell.at("achieved_rate_hz"), 750.0);
  EXPECT_EQ(cell.at("rate_hz"), 1000.0);
}

TEST(CommCell, WhatCannotRunHasItsReasonAndNoFigures) {
  const CellRun run{.stack = find_stack("iceoryx"), .point = {}, .unsupported = "not built"};
  const auto cell = cell_json({}, run);
  EXPECT_EQ(cell.at("unsupported"), "not built");
  EXPECT_TRUE(cell.at("mean_us").is_null());
  EXPECT_TRUE(cell.at("delivery").is_null());
  EXPECT_EQ(cell.at("saturated"), false);
}

TEST(CommCell, RawFilesGiveBackEveryLatency) {
  const auto text = raw_npy(run_of("takt", {{1.5F, 2.5F}, {3.5F}}, 2, 2ms));
  EXPECT_THAT(latencies_of_npy(text), ElementsAre(1.5, 2.5, 3.5));
  EXPECT_EQ((text.size() - std::size_t{3} * 8) % 64, 0U);
  EXPECT_THROW(latencies_of_npy(text.substr(0, text.size() - 1)), SetupError);
  EXPECT_THROW(latencies_of_npy("round,reader"), SetupError);
}

TEST(CommVerdict, AWholeIntervalBelowOneIsAheadAndAboveBehind) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0);
  EXPECT_EQ(standing_of({eight}, {ten}, {ten, ten}).standing, Standing::ahead);
  EXPECT_EQ(standing_of({ten}, {eight}, {ten, ten}).standing, Standing::behind);
  EXPECT_DOUBLE_EQ(standing_of({eight}, {ten}, {ten, ten}).ratio, 0.8);
}

TEST(CommVerdict, ADifferenceThatTheFloorHasFromItselfIsNone) {
  const std::vector<double> ten(9, 10.0), nine(9, 9.0), eight(9, 8.0), again(9, 11.5);
  EXPECT_EQ(standing_of({nine}, {ten}, {ten, again}).standing, Standing::level);
  EXPECT_EQ(standing_of({ten}, {nine}, {ten, again}).standing, Standing::level);
  EXPECT_EQ(standing_of({eight}, {ten}, {ten, again}).standing, Standing::ahead);
}

TEST(CommVerdict, AnIntervalAroundOneIsLevelOrUndecided) {
  const std::vector<double> ten(9, 10.0);
  const std::vector<double> near = {9, 11, 9, 11, 9, 11, 9, 11, 10};
  const std::vector<double> wide = {5, 20, 5, 20, 5, 20, 5, 20, 10};
  EXPECT_EQ(standing_of({near}, {ten}, {ten, ten}).standing, Standing::level);
  EXPECT_EQ(standing_of({wide}, {ten}, {ten, ten}).standing, Standing::not_judged);
  EXPECT_THAT(standing_of({wide}, {ten}, {ten, ten}).reason, HasSubstr("undecided"));
}

TEST(CommVerdict, WhatCannotBeComparedIsNotJudgedAndSaysWhy) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0), few(8, 10.0);
  const auto why = [&](const Compared& takt, const Compared& other, const std::vector<double>& again) {
    const auto result = standing_of(takt, other, {ten, again});
    EXPECT_EQ(result.standing, Standing::not_judged);
    return result.reason;
  };
  EXPECT_THAT(why({eight}, {.round_means_us = ten, .saturated = true}, ten), HasSubstr("takt does"));
  EXPECT_THAT(
      why({.round_means_us = eight, .saturated = true}, {.round_means_us = ten, .saturated = true}, ten),
      HasSubstr("neither"));
  EXPECT_THAT(why({eight}, {.round_means_us = ten, .measured = false}, ten), HasSubstr("every round"));
  EXPECT_THAT(why({few}, {few}, ten), HasSubstr("8 rounds are too few"));
  EXPECT_THAT(why({eight}, {ten}, {}), HasSubstr("not run against itself"));
  EXPECT_THAT(why({eight}, {ten}, std::vector<double>(9, 13.0)), HasSubstr("differs from itself by 1.30"));
}

TEST(CommVerdict, ARateThatTaktAloneMissesIsBehindWhateverTheNoise) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0);
  const auto result = standing_of({.round_means_us = eight, .saturated = true}, {ten}, {ten, {}});
  EXPECT_EQ(result.standing, Standing::behind);
  EXPECT_EQ(result.reason, "takt does not reach the rate, the other does");
}

TEST(CommVerdict, LossOfTaktAloneIsBehindWhateverTheNoise) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0), noise(9, 13.0);
  const Compared lossy{.round_means_us = eight, .lost = 3};
  for (const auto& again : {ten, noise, {}}) {
    const auto result = standing_of(lossy, {ten}, {ten, again});
    EXPECT_EQ(result.standing, Standing::behind);
    EXPECT_EQ(result.reason, "takt lost 3 messages, the other none");
  }
  const std::vector<double> one = {10.0}, none = {0.0};
  EXPECT_EQ(standing_of({.round_means_us = none, .lost = 100}, {one}, {}).standing, Standing::behind);
}

TEST(CommVerdict, AFloorIsNoMeasureOfLossAndNoneIsJudgedWhereItDoesNotHoldTheRate) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0);
  const Compared lossy{.round_means_us = eight, .lost = 3};
  const auto beside_floor = standing_of(lossy, {.round_means_us = ten, .floor = true}, {ten, ten});
  EXPECT_EQ(beside_floor.standing, Standing::ahead);
  EXPECT_THAT(beside_floor.reason, HasSubstr("takt lost 3 messages"));
  const auto beyond = standing_of(lossy, {ten}, {.round_means_us = ten, .again_us = ten, .saturated = true});
  EXPECT_EQ(beyond.standing, Standing::ahead);
  EXPECT_THAT(beyond.reason, HasSubstr("lost: takt 3, the other none"));
}

TEST(CommVerdict, LossOfTheOtherIsSaidAndTheMeansDecide) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0), noise(9, 13.0);
  const Compared lossy{.round_means_us = eight, .lost = 12};
  const auto result = standing_of({ten}, lossy, {ten, ten});
  EXPECT_EQ(result.standing, Standing::behind);
  EXPECT_THAT(result.reason, HasSubstr("1.25 [1.25, 1.25] times"));
  EXPECT_THAT(result.reason, HasSubstr("lost: takt none, the other 12"));
  const auto noisy = standing_of({ten}, lossy, {ten, noise});
  EXPECT_EQ(noisy.standing, Standing::not_judged);
  EXPECT_THAT(noisy.reason, HasSubstr("the other 12"));
}

/// results.json of a run with one point.
Json results_of(const char* kernel, double takt_us, const char* standing) {
  Json takt = cell_json({}, run_of("takt", {{static_cast<float>(takt_us)}}, 1, 1ms));
  Json bells = cell_json({}, run_of("futex-bells", {{8.0F}}, 1, 1ms));
  takt["takt"] = nullptr;
  bells["takt"] = {{"standing", standing}, {"reason", ""}, {"ratio", 1.0}, {"low", 1.0}, {"high", 1.0}};
  auto machine = kMachine;
  machine["kernel"] = kernel;
  return {{"started_at", "2026-01-31T12:00:00Z"},
          {"partial", false},
          {"warnings", Json::array()},
          {"environment",
           {{"governor", "none"}, {"virtualization", "none"}, {"preemption", "full"}, {"compiler", "g++"}}},
          {"plan", plan_json(plan_of_stage("smoke"), machine)},
          {"noise", Json::array()},
          {"cells", {takt, bells}}};
}

Json with_command(Json results) {
  results["command"] = {"takt"};
  return results;
}

TEST(CommCsv, ColumnsAreThoseOfPerformanceTest) {
  Json results;
  results["cells"].push_back(cell_json({}, run_of("takt", {{1000, 3000}}, 4, 4ms)));
  const auto csv = performance_test_csv(results);
  EXPECT_EQ(
      csv,
      "T_experiment,T_loop,received,sent,lost,relative_loss,data_received,latency_min (ms),latency_max (ms),"
      "latency_mean (ms),latency_variance (ms),ru_maxrss,cpu_usage (%),stack,payload_bytes,payload_mapping,"
      "subscribers,rate_hz,saturated,mode\n"
      "0.004,0.004,2,4,2,0.5,128,1,3,2,1,2048,0.55,takt,64,filled,1,1000,0,one_way\n");
}

TEST(CommCompare, ResultsStandSideBySideAndWhatDiffersIsNamed) {
  const auto document = compare({"a", "b"}, {results_of("6.1", 9, "ahead"), results_of("6.2", 10, "level")});
  EXPECT_EQ(document.at("differences"),
            Json::parse(R"([{"folder":"b","what":["machine.kernel is \"6.1\" there and \"6.2\" here"]}])"));
  ASSERT_EQ(document.at("cells").size(), 2U);
  EXPECT_EQ(document.at("cells")[0].at("mean_us"), Json::parse("[9.0, 10.0]"));
  EXPECT_EQ(document.at("cells")[1].at("standing"), Json::parse(R"(["ahead", "level"])"));
  EXPECT_EQ(document.at("standings"), Json::parse(R"({"compared": 1, "same": 0})"));
}

TEST(CommCompare, ACellThatOneRunLacksIsNull) {
  auto less = results_of("6.1", 9, "ahead");
  less["cells"].erase(1);
  const auto document = compare({"a", "b"}, {less, results_of("6.1", 9, "ahead")});
  EXPECT_EQ(document.at("cells")[1].at("mean_us"), Json::parse("[null, 8.0]"));
  EXPECT_EQ(document.at("standings").at("compared"), 0);
}

class CommResume : public testing::Test {
 protected:
  Experiment experiment() const { return {.plan = plan_of_stage("smoke"), .machine = kMachine}; }
  void put_plan(const Plan& plan) { tree_.put("plan.json", plan_json(plan, kMachine).dump()); }

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
    EXPECT_THAT([&] { check_smoke(folder, kMachine); }, ThrowsMessage<CannotMeasure>(HasSubstr(why)));
  };
  EXPECT_THROW(check_smoke("", kMachine), CannotMeasure);
  tree_.put("results.json", results_of("6.1", 9, "ahead").dump());
  EXPECT_NO_THROW(check_smoke(folder, kMachine));
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

TEST(CommShortage, WhatDoesNotFitSaysHowMuchItNeeds) {
  EXPECT_EQ(shortage_for({}), "");
  EXPECT_THAT(shortage_for({.readers = 1024, .size = std::numeric_limits<std::uint32_t>::max()}),
              HasSubstr("MiB of memory"));
}

TEST(CommStacks, IceoryxGetsMemoryForEveryQueue) {
  EXPECT_EQ(roudi_config(64, 2),
            "[general]\nversion = 1\n\n[[segment]]\n\n[[segment.mempool]]\nsize = 224\ncount = 64\n");
}

TEST(CommStacks, ARunnerThatIsNotThereIsNamedWithItsPackage) {
  EXPECT_THAT(why_not_built({.program = "takt-comm-none", .package = "libnone-dev"}),
              HasSubstr("takt-comm-none was not built: install libnone-dev"));
}

TEST(CommReport, EveryPartIsThereAndPublishedFiguresHaveTheirMachine) {
  const auto page =
      report_html(with_command(results_of("6.1", 9, "behind")), plan_of_stage("fanout"), {}, "/nowhere");
  EXPECT_THAT(page, HasSubstr("behind in 1"));
  EXPECT_THAT(page, HasSubstr("What each layer adds"));
  EXPECT_THAT(page, HasSubstr("39.963"));
  for (const auto& table : published_tables()) EXPECT_THAT(table.note, HasSubstr("Machine:"));
}

Json judged(Json cell, const char* standing, double ratio) {
  cell["takt"] = {{"standing", standing}, {"reason", ""}, {"ratio", ratio}, {"low", ratio}, {"high", ratio}};
  return cell;
}

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
  EXPECT_EQ(plan_document(plan, kMachine).at("predictions").size(), claims_about(plan).size());
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

TEST(CommPace, WhatWasSeenCorrectsWhatWasExpected) {
  auto plan = plan_of_stage("fanout");
  const Pace pace(plan, 0);
  EXPECT_GT(pace.expected(), Pace(plan, 10).expected());
  EXPECT_EQ(pace.remaining(0, 0, 0s), pace.expected());
  EXPECT_EQ(pace.remaining(plan.points().size(), 0, pace.expected()), 0s);
  EXPECT_GT(pace.remaining(1, 0.5, 600s), pace.remaining(1, 0.5, 60s));
}

TEST(CommPace, ProcessesAreKeptWhereSettingThemUpIsDear) {
  const auto* takt = find_stack("takt");
  const auto* iceoryx = find_stack("iceoryx");
  EXPECT_FALSE(are_kept(*takt, {.subscribers = 16}));
  EXPECT_TRUE(are_kept(*takt, {.subscribers = 64}));
  EXPECT_FALSE(are_kept(*iceoryx, {.subscribers = 64}));
}

TEST(CommPlan, ARoundTripIsAnotherPlanAndNamedInEachCell) {
  auto plan = plan_of_stage("smoke");
  plan.round_trip = true;
  EXPECT_THAT(differences(plan_json(plan_of_stage("smoke"), kMachine), plan_json(plan, kMachine)),
              ElementsAre("mode is \"one_way\" there and \"round_trip\" here"));
  const auto cell = cell_json(plan, run_of("takt", {{8}}, 1, 1ms));
  EXPECT_EQ(cell.at("mode"), "round_trip");
  EXPECT_EQ(cell.at("command").back(), "--roundtrip");
  EXPECT_TRUE(plan.round_at({}).round_trip);
}

TEST(CommPlan, TheCoarseStageHasLessTimeForEachOfItsManyCells) {
  EXPECT_EQ(seconds_of("fanout"), 5);
  EXPECT_EQ(seconds_of("coarse"), 1.8);
}

TEST(CommReport, LayersAreDifferencesOfMeans) {
  auto cells = Cells{cell_json({}, run_of("futex-bells", {{8}}, 1, 1ms)),
                     cell_json({}, run_of("takt-shm", {{9}}, 1, 1ms)),
                     cell_json({}, run_of("takt", {{11.5F}}, 1, 1ms))};
  EXPECT_THAT(layers_table(cells).rows.at(0), ElementsAre("64 B", "1", "8.0", "+1.0", "+2.5", "11.5"));
}

}  // namespace
}  // namespace takt::lab::comm
