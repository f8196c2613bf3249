// SPDX-License-Identifier: Apache-2.0
// Runs the real `takt clock`, and its verbs beside it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "takt/cli/live_test_support.hpp"

namespace takt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;
using namespace std::chrono_literals;

class ClockCommands : public LiveTest {
 protected:
  template <class Condition>
  static bool comes_true(const Condition& condition) {
    for (int tries = 0; tries < 3000; ++tries) {
      if (condition()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
  /// A clock in the background: killed at the end, if it still runs then. It ends by itself in any case.
  class Background {
   public:
    Background(const ClockCommands& test, const std::string& arguments) : test_(test) {
      auto line = "exec env TAKT_SHM_DIR=" + test.base_ +
                  " ROS_DOMAIN_ID=0 " TAKT_BIN_DIR "/takt clock --json --seconds 100 " + arguments + " >" +
                  test.base_ + "/clock-out 2>" + test.base_ + "/clock-err </dev/null";
      std::filesystem::remove(test.base_ + "/clock-out");  // of one before it, which started() would believe
      std::string shell = "/bin/sh";
      std::string flag = "-c";
      char* words[] = {shell.data(), flag.data(), line.data(), nullptr};
      if (::posix_spawn(&pid_, shell.c_str(), nullptr, nullptr, words, environ) != 0) pid_ = -1;
    }
    ~Background() { end(SIGKILL); }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Once it runs. False: it does not.
    bool started() const {
      return comes_true([this] { return !out().empty(); });
    }
    /// Once it has sent a first sample, with --log FILE. False: it does not.
    bool ticks(const std::string& log) const {
      return comes_true([&] { return test_.text_of_path(log).find("sample") != std::string::npos; });
    }
    /// Its exit code, 128 when it was killed.
    int end(int signal) {
      if (pid_ < 0) return -1;
      ::kill(pid_, signal);
      int status = 0;
      ::waitpid(std::exchange(pid_, -1), &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    }
    void send(int signal) const { ::kill(pid_, signal); }
    pid_t pid() const { return pid_; }
    std::string out() const { return test_.text_of_path("clock-out"); }
    std::string err() const { return test_.text_of_path("clock-err"); }

   private:
    const ClockCommands& test_;
    pid_t pid_ = -1;
  };

  /// The state after a verb. Empty, and a failed test, when it did not succeed.
  Json state(const std::string& verb) const {
    const auto run = takt("clock " + verb + " --json");
    EXPECT_EQ(run.exit_code, 0) << verb << ": " << run.err;
    expect_schema("clock-line.schema.json", "--lines");
    return run.exit_code == 0 ? Json::parse(run.out) : Json();
  }
  void expect_refused(const std::string& verb, const std::string& words) const {
    const auto run = takt("clock " + verb);
    EXPECT_EQ(run.exit_code, 3) << verb;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, HasSubstr(words));
  }
  void expect_schema_of(const std::string& file, const std::string& schema) const {
    std::filesystem::copy_file(base_ + "/" + file, base_ + "/out",
                               std::filesystem::copy_options::overwrite_existing);
    expect_schema(schema, "--lines");
  }
  /// Without one that is being written.
  std::vector<Json> lines_in(const std::string& file) const {
    std::vector<Json> lines;
    std::istringstream in(text_of_path(file));
    for (std::string line; std::getline(in, line) && !in.eof();) lines.push_back(Json::parse(line));
    return lines;
  }
};

TEST_F(ClockCommands, PauseStepRunToResumeAndResetFromAnotherProcess) {
  Background clock(*this, "");
  ASSERT_TRUE(clock.started()) << clock.err();
  EXPECT_EQ(state("status")["state"], "running");
  const auto paused = state("pause");
  EXPECT_EQ(paused["state"], "paused");
  const auto from = paused["sim_ns"].get<std::int64_t>();
  const auto stepped = state("step 7 --wait");
  EXPECT_EQ(stepped["state"], "paused");
  EXPECT_EQ(stepped["sim_ns"], from + 7'000'000);
  EXPECT_EQ(state("step --wait")["sim_ns"], from + 8'000'000);
  const auto soon = from + 50'000'000;
  EXPECT_EQ(state("run-to " + std::to_string(static_cast<double>(soon) * 1e-9) + " --wait")["sim_ns"], soon);
  EXPECT_EQ(state("reset")["sim_ns"], 1'000'000'000);
  EXPECT_EQ(state("resume")["state"], "running");
  EXPECT_EQ(clock.end(SIGTERM), 0);
}

TEST_F(ClockCommands, AnotherFactorIsKeptFromThenOn) {
  Background clock(*this, "--paused --step 0.01 --start 5");
  ASSERT_TRUE(clock.started()) << clock.err();
  EXPECT_EQ(state("rtf max")["target_rtf"], 0);
  const auto there = state("run-to 1234.5678 --wait");
  EXPECT_EQ(there["state"], "paused");
  EXPECT_EQ(there["sim_ns"], 1'234'567'800'000);
  EXPECT_GT(there["rtf"]["since_start"], 1);
  EXPECT_EQ(state("rtf 0.5")["target_rtf"], 0.5);
  EXPECT_THAT(takt("clock status").out,
              HasSubstr("paused at 1234.5678 s\nreal time factor: 0.5 wanted; since"));
}

TEST_F(ClockCommands, WhatTheClockRefusesIsSaidInItsWords) {
  Background clock(*this, "");
  ASSERT_TRUE(clock.started()) << clock.err();
  expect_refused("step 3", "only a paused one can be stepped");
  expect_refused("run-to 0.5", "lies in the past");
  EXPECT_EQ(state("status")["state"], "running");
}

TEST_F(ClockCommands, WithoutAClockTheVerbsSaySo) {
  for (const char* verb : {"pause", "resume", "step", "run-to 5", "reset", "rtf 1", "status"})
    expect_refused(verb, "no clock runs on /clock; start one with: takt clock");
}

TEST_F(ClockCommands, BadValuesAreUsageErrors) {
  for (const char* arguments : {"--rtf -1",
                                "--rtf nan",
                                "--rtf 1e7",
                                "--rtf abc",
                                "--rtf ''",
                                "--rate 5",
                                "--rtf 1 --rate max",
                                "--step 0",
                                "--step -1",
                                "--step 1e9",
                                "--start 0",
                                "--start -5",
                                "--start 3e9",
                                "--seconds 0",
                                "--topic 'no topic'",
                                "--log ''",
                                "--scheduling realtime",
                                "--priority 99",
                                "--cpus 1-",
                                "--cpus x",
                                "step 0",
                                "step -1",
                                "step 1e3",
                                "step 99999999999999999999",
                                "run-to",
                                "run-to x",
                                "run-to -1",
                                "rtf",
                                "rtf -1",
                                "rtf nan",
                                "--paused pause",
                                "--rtf 2 resume",
                                "xyzzy",
                                "pause 5"}) {
    const auto run = takt("clock " + std::string(arguments));
    EXPECT_EQ(run.exit_code, 2) << arguments << ": " << run.err;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, HasSubstr("try: takt clock"));
  }
}

TEST_F(ClockCommands, ASecondClockIsRefusedByNameAndAForcedOneRuns) {
  Background clock(*this, "");
  ASSERT_TRUE(clock.started()) << clock.err();
  expect_refused("--seconds 0.1",
                 "/clock has a source of time already: /clock (process " + std::to_string(clock.pid()) + ")");
  EXPECT_EQ(takt("clock --seconds 0.1 --force").exit_code, 0);
  EXPECT_EQ(takt("clock --seconds 0.1 --topic /other").exit_code, 0);
  EXPECT_EQ(state("status")["state"], "running");
}

TEST_F(ClockCommands, ARefusedClockLeavesTheLogOfTheOneThatRunsAlone) {
  const auto log = "--log " + base_ + "/log";
  Background clock(*this, log);
  ASSERT_TRUE(clock.ticks("log")) << clock.err();
  expect_refused(log + " --seconds 0.1", "--force a second source");
  EXPECT_EQ(clock.end(SIGTERM), 0);
  expect_schema_of("log", "clock-log-line.schema.json");
  EXPECT_EQ(lines_in("log").front()["report"], "start");
}

TEST_F(ClockCommands, AKilledClockLeavesTheDomainToANewOne) {
  {
    Background clock(*this, "");
    ASSERT_TRUE(clock.started()) << clock.err();
    EXPECT_EQ(clock.end(SIGKILL), 128);
  }
  expect_refused("status", "no clock runs");
  Background again(*this, "--start 9");
  ASSERT_TRUE(again.started()) << again.err();
  EXPECT_GE(state("pause")["sim_ns"], 9'000'000'000);
  EXPECT_EQ(again.end(SIGTERM), 0);
  EXPECT_EQ(Json::parse(takt("status --sweep --json").out)["status"]["leftovers"],
            Json({{"segments", 0}, {"inboxes", 0}, {"leases", 0}}));
}

TEST_F(ClockCommands, ATopicOfItsOwnHasItsOwnRequests) {
  Background clock(*this, "--topic sim/clock --paused");
  ASSERT_TRUE(clock.started()) << clock.err();
  expect_refused("status", "no clock runs on /clock");
  EXPECT_EQ(state("step 2 --wait --topic /sim/clock")["sim_ns"], 1'002'000'000);
  EXPECT_EQ(state("--topic /sim/clock status")["state"], "paused");
  const auto list = takt("topic list -t").out;
  EXPECT_THAT(list, HasSubstr("/sim/clock [rosgraph_msgs/msg/Clock]"));
  EXPECT_THAT(list, HasSubstr("/sim/clock/real_time_factor [std_msgs/msg/Float32]"));
  EXPECT_THAT(list, HasSubstr("/sim/clock/statistics [takt_msgs/msg/ClockStatistics]"));
}

TEST_F(ClockCommands, EchoReadsItsTopics) {
  Background clock(*this, "--start 3 --paused");
  ASSERT_TRUE(clock.started()) << clock.err();
  EXPECT_THAT(takt("topic echo /clock --once --timeout 50").out, HasSubstr("sec: 3"));
  const auto statistics = takt("topic echo /clock/statistics --once --json --timeout 50");
  EXPECT_EQ(statistics.exit_code, 0) << statistics.err;
  EXPECT_EQ(Json::parse(statistics.out)["message"]["paused"], true);
}

TEST_F(ClockCommands, GarbageOnItsRequestTopicChangesNothing) {
  Background clock(*this, "--paused");
  ASSERT_TRUE(clock.started()) << clock.err();
  for (const char* request : {"{command: 250}", "{command: 3, steps: 18446744073709551615}",
                              "{command: 4, time: {sec: -2147483648}}", "{command: 6, rtf: -1.0}",
                              "{command: 4, time: {sec: 5, nanosec: 4294967295}}"}) {
    const auto pub =
        takt("topic pub /clock/request takt_msgs/ClockRequest '" + std::string(request) + "' --once");
    EXPECT_EQ(pub.exit_code, 0) << pub.err;
  }
  const auto status = state("status");
  EXPECT_EQ(status["state"], "paused");
  EXPECT_EQ(status["sim_ns"], 1'000'000'000);
  EXPECT_EQ(status["target_rtf"], 1);
}

TEST_F(ClockCommands, TheLogHasWholeLinesOfTheSpecifiedForm) {
  const auto run = takt("clock --json --seconds 0.5 --rtf 2 --log " + base_ + "/log");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_schema("clock-line.schema.json", "--lines");
  expect_schema_of("log", "clock-log-line.schema.json");
  const auto lines = lines_in("log");
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines.front()["report"], "start");
  EXPECT_EQ(lines.front()["target_rtf"], 2);
  EXPECT_EQ(lines[1]["report"], "sample");
  EXPECT_EQ(lines[1]["sim_ns"], 1'000'000'000);
  const auto& end = lines.back();
  EXPECT_EQ(end["report"], "end");
  EXPECT_EQ(end["first_tick_ns"], lines[1]["at_ns"]);
  EXPECT_EQ(end["verdict"]["activations"], end["iterations"]);
  EXPECT_EQ(end["verdict"]["deadline_ms"], 0.5);
  EXPECT_EQ(end["verdict"]["misses"], end["verdict"]["last_misses"].size());
  EXPECT_EQ(end["sim_ns"], 1'000'000'000 + (end["iterations"].get<std::int64_t>() - 1) * 1'000'000);
  auto last = lines[1]["at_ns"].get<std::int64_t>();
  for (std::size_t i = 2; i + 1 < lines.size(); ++i) {
    if (lines[i]["report"] != "sample") continue;
    EXPECT_GE(lines[i]["at_ns"].get<std::int64_t>() - last, 100'000'000);
    last = lines[i]["at_ns"].get<std::int64_t>();
  }
}

TEST_F(ClockCommands, AClockThatWasStoppedHasAGapInItsLog) {
  Background clock(*this, "--log " + base_ + "/log");
  ASSERT_TRUE(clock.ticks("log")) << clock.err();
  clock.send(SIGSTOP);
  std::this_thread::sleep_for(200ms);
  clock.send(SIGCONT);
  EXPECT_TRUE(comes_true([&] {
    return std::ranges::any_of(lines_in("log"),
                               [](const Json& line) { return line.value("gap_ms", 0.0) >= 150; });
  }));
  EXPECT_EQ(clock.end(SIGTERM), 0);
  expect_schema_of("log", "clock-log-line.schema.json");
  const auto lines = lines_in("log");
  EXPECT_GE(lines.back()["late"], 1);
  EXPECT_GE(lines.back()["dropped_ms"], 150);
}

TEST_F(ClockCommands, ALogThatCannotBeWrittenIsNamed) {
  expect_refused("--log /proc/takt/log", "cannot write the log /proc/takt/log");
  expect_refused("--seconds 5 --log /dev/full",
                 "No space left on device; make room, or give another file with --log");
}

TEST_F(ClockCommands, ALogThatIsAFifoWithoutAReaderOrAFolderIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((base_ + "/fifo").c_str(), 0600), 0);
  expect_refused("--seconds 0.1 --log " + base_ + "/fifo", "nobody reads it");
  expect_refused("--seconds 0.1 --log " + base_, "Is a directory");
}

TEST_F(ClockCommands, ALogMayBeAFifoAndAReaderThatStopsReadingKeepsTheClockNotFromEnding) {
  ASSERT_EQ(::mkfifo((base_ + "/fifo").c_str(), 0600), 0);
  const int reader = ::open((base_ + "/fifo").c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  const auto run = takt("clock --seconds 0.1 --log " + base_ + "/fifo");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::string log(60'000, ' ');
  const auto size = ::read(reader, log.data(), log.size());
  ASSERT_GT(size, 0);
  log.resize(static_cast<std::size_t>(size));
  EXPECT_THAT(log, HasSubstr("\"report\":\"end\""));
  while (::write(reader, log.data(), log.size()) > 0) {
  }  // until it is full
  const auto stuck = takt("clock --seconds 0.1 --log " + base_ + "/fifo");
  EXPECT_EQ(stuck.exit_code, 3);
  EXPECT_THAT(stuck.err, HasSubstr("its reader reads nothing any more"));
  ::close(reader);
}

TEST_F(ClockCommands, TheSummaryHasTheFactorsSideBySideAndTheVerdict) {
  const auto run = takt("clock --seconds 0.4");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* words :
       {"/clock runs from 1 s in steps of 1 ms, at a real time factor of 1", "running at 1.",
        "worst window of 100 ms", "Gazebo's panel", "behind by more than a wall step", "clock/tick"})
    EXPECT_THAT(run.out, HasSubstr(words));
  const auto fast = takt("clock --rate max --seconds 0.2");
  EXPECT_THAT(fast.out, HasSubstr("as fast as possible"));
  EXPECT_THAT(fast.out, ::testing::Not(HasSubstr("clock/tick")));
}

TEST_F(ClockCommands, ASecondsLimitIsOfTheRunAndNotOfTheSearchForAnotherClock) {
  Background other(*this, "--topic /other");
  ASSERT_TRUE(other.started()) << other.err();
  other.send(SIGSTOP);
  std::thread waking([&other] {
    std::this_thread::sleep_for(500ms);  // the search goes on until it answers
    other.send(SIGCONT);
  });
  const auto run = takt("clock --json --seconds 0.2");
  waking.join();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto ended = Json::parse(run.out.substr(run.out.find('\n') + 1));
  EXPECT_GE(ended["wall_ms"], 150);
}

TEST_F(ClockCommands, AProcessThatDoesNotAnswerMayBeAClock) {
  Background clock(*this, "--paused");
  ASSERT_TRUE(clock.started()) << clock.err();
  clock.send(SIGSTOP);
  expect_refused("status", "did not answer within 2 s");
  expect_refused("--seconds 1", "/clock may have a source of time already");
  const auto other = takt("clock --force --seconds 0.05");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  clock.send(SIGCONT);
  EXPECT_EQ(clock.end(SIGTERM), 0);
}

TEST_F(ClockCommands, HelpAndCompletionKnowTheVerbs) {
  EXPECT_EQ(takt("help clock").out, takt("clock --help").out);
  EXPECT_EQ(takt("clock help step").out, takt("clock step --help").out);
  EXPECT_THAT(takt("clock run-to --help").out, HasSubstr("simulated time in seconds"));
  EXPECT_THAT(takt("completion bash").out, HasSubstr("takt clock run-to"));
}

}  // namespace
}  // namespace takt::cli
