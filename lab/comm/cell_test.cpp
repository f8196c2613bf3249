// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/comm/cell.hpp"
#include "lab/comm/comm_test_support.hpp"
#include "lab/comm/experiment.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Json = nlohmann::ordered_json;
using example::run_of;

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

}  // namespace
}  // namespace takt::lab::comm
