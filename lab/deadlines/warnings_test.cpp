// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/warnings.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "lab/deadlines/made_up_phases.hpp"

namespace takt::lab::deadlines {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A phase on a machine that did nothing else.
PhaseResult undisturbed() {
  auto result = ideal_phase("sim_rtf1").result;
  result.environment.cgroup = CgroupUsage{.version = 2};
  return result;
}

std::vector<std::string> warnings_of(const PhaseResult& result, const RunSetup& setup = {}) {
  Envelope envelope;
  warn_of(envelope, result, setup);
  warn_of(envelope, result, setup);  // of another run: said once
  return envelope.warnings;
}

TEST(DeadlinesWarnings, OfAnUndisturbedPhaseThereAreNone) {
  auto result = undisturbed();
  result.environment.steal_pct = kDisturbingStealPct;
  result.environment.load.busy_pct = {3, 50};
  EXPECT_THAT(warnings_of(result), IsEmpty());
}

TEST(DeadlinesWarnings, ABusyCoreIsSaidUnlessThisProgramKeepsItBusy) {
  auto result = undisturbed();
  result.environment.load.busy_pct = {3, 100};
  EXPECT_THAT(warnings_of(result), ElementsAre(HasSubstr("a core was busy for 100 % of sim_rtf1")));
  EXPECT_THAT(warnings_of(result, {.keep_awake = true}), IsEmpty());
  EXPECT_THAT(warnings_of(result, {.hog = true}), IsEmpty());
}

TEST(DeadlinesWarnings, TheHypervisorAndTheQuotaAreNamed) {
  auto result = undisturbed();
  result.environment.steal_pct = 2;
  result.environment.cgroup->nr_throttled = 7;
  EXPECT_THAT(warnings_of(result, {.keep_awake = true}),
              ElementsAre(HasSubstr("the hypervisor took 2.0 %"), HasSubstr("stopped this process 7 times")));
}

TEST(DeadlinesWarnings, WhatTheInstrumentsDoNotTellIsSaid) {
  auto result = undisturbed();
  result.environment.cgroup.reset();
  result.clock.end = ClockEnd{.late_steps = {}, .lost_events = 4};
  EXPECT_THAT(warnings_of(result), ElementsAre(HasSubstr("no cgroup CPU controller"),
                                               HasSubstr("lost 4 entries during sim_rtf1")));
  result = undisturbed();
  result.clock.end = ClockEnd{};
  EXPECT_THAT(warnings_of(result), IsEmpty());
}

TEST(DeadlinesWarnings, APhaseThatIsNotWholeIsNamed) {
  auto result = undisturbed();
  result.interrupted = true;
  EXPECT_THAT(warnings_of(result), ElementsAre(HasSubstr("ended early by the user, after 5.0 s")));
  result.not_measured = "why";
  EXPECT_THAT(warnings_of(result), ElementsAre("sim_rtf1 was not measured: why"));
}

TEST(DeadlinesWarnings, MissingRunsAreCounted) {
  Envelope envelope;
  warn_of_runs(envelope, 5, 5);
  EXPECT_THAT(envelope.warnings, IsEmpty());
  warn_of_runs(envelope, 1, 5);
  EXPECT_THAT(envelope.warnings, ElementsAre("1 of 5 runs were made"));
}

}  // namespace
}  // namespace takt::lab::deadlines
