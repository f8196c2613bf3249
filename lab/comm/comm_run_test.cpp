// SPDX-License-Identifier: Apache-2.0
// The laboratory for a moment: real processes, in folders of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "lab/comm/command.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"
#include "lab/common/interrupt.hpp"

namespace takt::lab {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace fs = std::filesystem;

class CommRunTimingTest : public testing::Test {
 protected:
  int run(CommOptions options) {
    options.out = folder().string();
    options.json = true;
    out_.str("");
    Console console(true, out_, err_, false);
    return run_comm(options, console);
  }
  fs::path folder() const { return tree_.root() / "results"; }
  nlohmann::json document() const { return nlohmann::json::parse(out_.str()); }
  int violations() const {
    const std::string source = TAKT_SOURCE_DIR;
    const auto command = "/usr/bin/python3 -B " + source + "/tools/validate_json.py " + source +
                         "/docs/formats/lab-comm.schema.json " + (folder() / "results.json").string();
    return std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
  }

  FakeTree tree_;
  std::ostringstream out_;
  std::ostringstream err_;
};

/// A child of this process that is such a runner; 0: none.
pid_t child_called(const std::string& program) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string pid, name, state, parent;
    if (file >> pid >> name >> state >> parent && name == "(" + program + ")" &&
        parent == std::to_string(::getpid()))
      return std::stoi(pid);
  }
  return 0;
}

TEST_F(CommRunTimingTest, ASmokeStageIsMeasuredAndWritten) {
  ASSERT_EQ(run({.stage = "smoke",
                 .stacks = {"takt", "futex-bells"},
                 .payloads = {64},
                 .subscribers = {2},
                 .seconds = 1,
                 .rounds = 1}),
            kDone)
      << err_.str();
  const auto json = document();
  ASSERT_EQ(json["cells"].size(), 2U);
  for (const auto& cell : json["cells"]) {
    EXPECT_TRUE(cell["failed"].is_null()) << cell["failed"];
    EXPECT_TRUE(cell["unsupported"].is_null()) << cell["unsupported"];
    EXPECT_GT(cell["received"], 0);
    EXPECT_GT(cell["p50_us"], 0);
    EXPECT_GT(cell["publisher_cpu_us"], 0);
    EXPECT_GT(cell["rss_kib"], 0);
    EXPECT_TRUE(fs::exists(folder() / cell["raw_file"].get<std::string>()));
  }
  EXPECT_EQ(json["partial"], false);
  EXPECT_EQ(json["cells"][1]["takt"]["standing"], "not judged");  // one round
  EXPECT_EQ(json["noise"].size(), 1U);
  EXPECT_EQ(json, nlohmann::json::parse(text_of(folder() / "results.json")));
  EXPECT_EQ(violations(), 0);
  EXPECT_THAT(text_of(folder() / "report.html"), HasSubstr("id=\"chart-"));
  EXPECT_THAT(text_of(folder() / "comm.csv"), HasSubstr("latency_mean (ms)"));
}

TEST_F(CommRunTimingTest, ARunnerThatIsKilledSpoilsItsOwnCellAlone) {
  std::thread killer([] {
    for (int i = 0; i < 2000; ++i, std::this_thread::sleep_for(5ms)) {
      if (const auto pid = child_called("takt-comm-unix"); pid > 0) {
        std::this_thread::sleep_for(100ms);
        ::kill(pid, SIGKILL);
        return;
      }
    }
  });
  const int code =
      run({.stacks = {"unix", "futex"}, .payloads = {64}, .subscribers = {1}, .seconds = 0.6, .rounds = 1});
  killer.join();
  ASSERT_EQ(code, kDone) << err_.str();
  const auto json = document();
  EXPECT_THAT(json["cells"][0]["failed"].get<std::string>(),
              HasSubstr("was ended by signal 9 (round 1 of 1)"));
  EXPECT_TRUE(json["cells"][0]["mean_us"].is_null());
  EXPECT_TRUE(json["cells"][1]["failed"].is_null());
  EXPECT_GT(json["cells"][1]["received"], 0);
  EXPECT_EQ(json["warnings"].size(), 1U);
  EXPECT_EQ(violations(), 0);
}

TEST_F(CommRunTimingTest, FinishedPointsAreKeptWhenTheUserEndsItAndTheRestFollowsLater) {
  const CommOptions options{
      .stacks = {"udp"}, .payloads = {64}, .subscribers = {1, 2}, .seconds = 0.3, .rounds = 1};
  std::thread user([this] {
    for (int i = 0; i < 2000 && !fs::exists(folder() / "results.json"); ++i) std::this_thread::sleep_for(5ms);
    Interrupt::request();
  });
  ASSERT_EQ(run(options), kDone) << err_.str();
  user.join();
  const auto first = document();
  ASSERT_EQ(first["partial"], true);
  ASSERT_EQ(first["cells"].size(), 1U);
  EXPECT_EQ(violations(), 0);

  ASSERT_EQ(run(options), kDone) << err_.str();
  const auto whole = document();
  EXPECT_EQ(whole["partial"], false);
  ASSERT_EQ(whole["cells"].size(), 2U);
  EXPECT_EQ(whole["cells"][0], first["cells"][0]);
  EXPECT_EQ(violations(), 0);
}

TEST_F(CommRunTimingTest, EveryStackOfTheHouseMeasuresRoundTrips) {
  ASSERT_EQ(run({.stacks = {"takt", "takt-shm", "futex", "futex-bells", "unix", "udp"},
                 .payloads = {64},
                 .subscribers = {2},
                 .seconds = 0.3,
                 .rounds = 1,
                 .round_trip = true}),
            kDone)
      << err_.str();
  const auto json = document();
  for (const auto& cell : json["cells"]) {
    EXPECT_EQ(cell["mode"], "round_trip");
    EXPECT_TRUE(cell["failed"].is_null()) << cell["stack"] << cell["failed"];
    EXPECT_TRUE(cell["unsupported"].is_null()) << cell["stack"] << cell["unsupported"];
    EXPECT_GT(cell["received"], 0) << cell["stack"];
  }
  EXPECT_EQ(violations(), 0);
}

TEST_F(CommRunTimingTest, ProcessesThatAreKeptMeasureSeveralRounds) {
  ASSERT_EQ(run({.stacks = {"unix"}, .payloads = {64}, .subscribers = {64}, .seconds = 0.2, .rounds = 2}),
            kDone)
      << err_.str();
  const auto cell = document()["cells"][0];
  EXPECT_TRUE(cell["failed"].is_null()) << cell["failed"];
  ASSERT_EQ(cell["rounds"].size(), 2U);
  for (const auto& round : cell["rounds"]) EXPECT_GT(round["received"], 0);
}

TEST_F(CommRunTimingTest, APacketThatIsTooSmallIsUnsupportedWithTheReason) {
  ASSERT_EQ(
      run({.stacks = {"udp"}, .payloads = {1'048'576}, .subscribers = {1}, .seconds = 0.1, .rounds = 1}),
      kDone);
  const auto json = document();
  for (const auto& cell : json["cells"]) EXPECT_FALSE(cell["unsupported"].is_null());
  EXPECT_EQ(violations(), 0);
}

}  // namespace
}  // namespace takt::lab
