// SPDX-License-Identifier: Apache-2.0
// The simulated phases, with the clock process that they have in an experiment.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string_view>
#include <thread>

#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"
#include "lab/deadlines/lines.hpp"
#include "lab/deadlines/long_interval.hpp"
#include "lab/deadlines/results.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// The clock process of this one; 0: there is none (yet).
pid_t clock_process() {
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
    std::ifstream children(entry.path() / "children");
    for (pid_t child = 0; children >> child;) {
      if (text_of("/proc/" + std::to_string(child) + "/cmdline").find("clock.jsonl") != std::string::npos)
        return child;
    }
  }
  return 0;
}

/// What is in the log of a clock process so far.
std::string log_so_far(pid_t clock) {
  constexpr std::string_view kOption{"--log\0", 6};
  const auto words = text_of("/proc/" + std::to_string(clock) + "/cmdline");
  const auto at = words.find(kOption);
  return at == std::string::npos ? "" : text_of(words.c_str() + at + kOption.size());
}

void kill_clock_with_a_sample(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(5ms);
    const pid_t clock = clock_process();
    if (clock == 0 || log_so_far(clock).find("\"sample\"") == std::string::npos) continue;
    kill(clock, SIGKILL);
    return;
  }
}

/// How a phase that cannot run ends.
std::string fault_of(const RunSetup& setup) {
  try {
    run_phase(*find_phase("sim_rtf1"), setup);
  } catch (const SetupError& error) {
    return error.what();
  }
  return "";
}

/// A program in place of takt.
fs::path script(const FakeTree& tree, const std::string& text) {
  tree.put("takt", "#!/bin/sh\n" + text + "\n");
  fs::permissions(tree.root() / "takt", fs::perms::owner_all);
  return tree.root() / "takt";
}

TEST(DeadlinesSimulatedTimingTest, EveryPhaseRunsWithItsClock) {
  Experiment experiment;
  experiment.setup.length = 600ms;
  deadlines::Run run;
  for (const auto& phase : kPhases) {
    const auto result = run_phase(phase, experiment.setup);
    ASSERT_TRUE(result.measured()) << result.not_measured;
    EXPECT_FALSE(result.interrupted);
    EXPECT_EQ(result.rtf.has_value(), phase.simulated()) << phase.name;
    EXPECT_EQ(result.first_clock_wait_s.has_value(), phase.simulated()) << phase.name;
    EXPECT_EQ(result.clock.end.has_value(), phase.simulated()) << phase.name;
    EXPECT_FALSE(long_intervals(result).empty());
    run.phases.push_back({.expectations = expectations_of(phase, experiment.setup), .result = result});
  }
  EXPECT_EQ(clock_process(), 0);
  experiment.runs.push_back(run);
  EXPECT_THAT(experiment.sentence(), HasSubstr("deadlines missed in 0.6 s (sim_rtf1_injected)"));
  EXPECT_THAT(report_html(experiment), HasSubstr("Real time factor of the clock"));
  EXPECT_EQ(results_document(experiment)["runs"][0]["phases"].size(), 5U);
}

TEST(DeadlinesSimulatedTimingTest, TheNodesClockStandsWhenTheThreadThatHearsItSleeps) {
  RunSetup setup{.length = 600ms};
  setup.shared_clock_thread = true;
  const auto shared = run_phase(*find_phase("sim_rtf1_injected"), setup);
  EXPECT_EQ(shared.counts.execution_timer_max_injected_ms, 0.0);
  EXPECT_GE(shared.counts.execution_wall_max_injected_ms, 22.0);
  setup.shared_clock_thread = false;
  const auto own = run_phase(*find_phase("sim_rtf1_injected"), setup);
  EXPECT_GT(own.counts.execution_timer_max_injected_ms, 0.0);
}

TEST(DeadlinesSimulatedTimingTest, AClockProcessThatIsKilledEndsThePhaseAndTheNextOneRuns) {
  PhaseResult killed;
  for (bool begun = false; !begun;) {
    const std::jthread killer(kill_clock_with_a_sample);
    try {
      killed = run_phase(*find_phase("sim_rtf1"), {.length = 100s});
      begun = true;
    } catch (const ClockDied&) {  // this machine is so full that nobody has heard it yet: again
    }
  }
  EXPECT_FALSE(killed.measured());
  EXPECT_FALSE(killed.interrupted);
  EXPECT_THAT(killed.not_measured, HasSubstr("signal 9 (Killed)"));
  EXPECT_THAT(phase_line(killed).dump(), HasSubstr("not_measured"));
  EXPECT_TRUE(run_phase(*find_phase("sim_rtf1"), {.length = 300ms}).measured());
}

TEST(DeadlinesSimulated, AProgramThatIsNotThereIsNamed) {
  RunSetup setup{.length = 100ms};
  setup.clock_program = "/nonexistent/takt";
  EXPECT_THAT(fault_of(setup), HasSubstr("/nonexistent/takt is no program"));
}

TEST(DeadlinesSimulated, WhatADyingClockSaysIsPassedOn) {
  const FakeTree tree;
  RunSetup setup{.length = 100ms};
  setup.clock_program = script(tree, "echo 'no such option' >&2; exit 2");
  EXPECT_THAT(fault_of(setup), AllOf(HasSubstr("no such option"), HasSubstr("exit code 2")));
  setup.clock_program = script(tree, "kill -KILL $$");
  EXPECT_THROW(run_phase(*find_phase("sim_rtf1"), setup), ClockDied);
  EXPECT_THAT(fault_of(setup), HasSubstr("signal 9 (Killed)"));
}

TEST(DeadlinesSimulated, ASilentClockIsWaitedForOnlySoLong) {
  const FakeTree tree;
  RunSetup setup{.length = 100ms};
  setup.clock_patience = 200ms;
  setup.clock_program = script(tree, "exec sleep 60");
  EXPECT_THAT(fault_of(setup), HasSubstr("no /clock received within 0.2 s"));
  EXPECT_EQ(clock_process(), 0);
}

}  // namespace
}  // namespace takt::lab::deadlines
