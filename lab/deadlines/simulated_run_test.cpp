// SPDX-License-Identifier: Apache-2.0
// The simulated phases, with the clock process that they have in an experiment.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
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
  RunSetup setup{.length = 100s};
  std::thread killer([] {
    pid_t clock = 0;
    while ((clock = clock_process()) == 0) std::this_thread::sleep_for(5ms);
    std::this_thread::sleep_for(1s);  // the phase has begun, or is about to wait in vain
    kill(clock, SIGKILL);
  });
  std::string said;
  try {
    const auto killed = run_phase(*find_phase("sim_rtf1"), setup);
    EXPECT_FALSE(killed.measured());
    EXPECT_FALSE(killed.interrupted);
    EXPECT_THAT(phase_line(killed).dump(), HasSubstr("not_measured"));
    said = killed.not_measured;
  } catch (const CannotMeasure& error) {
    said = error.what();  // before its first sample
  }
  killer.join();
  EXPECT_THAT(said, HasSubstr("signal 9 (Killed)"));
  setup.length = 300ms;
  EXPECT_TRUE(run_phase(*find_phase("sim_rtf1"), setup).measured());
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
  EXPECT_THAT(fault_of(setup), HasSubstr("no such option"));
  EXPECT_THAT(fault_of(setup), HasSubstr("exit code 2"));
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
