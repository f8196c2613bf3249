// SPDX-License-Identifier: Apache-2.0
// The experiment's own node on a virtual clock: the published figures come out exactly.
#include <gtest/gtest.h>

#include <memory>

#include "lab/deadlines/predictions.hpp"
#include "lab/deadlines/published_counts.hpp"
#include "lab/deadlines/run.hpp"
#include "takt/core/virtual_clock.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;

PhaseResult run_on_virtual_clock(const char* phase, Duration length) {
  RunSetup setup;
  setup.length = length;
  setup.clock = std::make_shared<VirtualClock>(VirtualClock::Advance::automatic);
  return run_phase(*find_phase(phase), setup);
}

TEST(DeadlinesOnVirtualClock, InjectedPhaseIsExact) {
  const PhaseResult result = run_on_virtual_clock("wall_injected", 5s);
  EXPECT_EQ(result.rows.size(), 490U);
  expect_published_counts(result.counts);
  EXPECT_FALSE(result.interrupted);

  // takt's own verdict: the true grid, the first activation included.
  EXPECT_EQ(result.verdict.activations, 490U);
  EXPECT_EQ(result.verdict.misses, 20U);
  EXPECT_EQ(result.verdict.skips, 10U);
  EXPECT_EQ(result.verdict.longest_miss_run, 2U);
  EXPECT_EQ(result.verdict.judgement, timing::Judgement::missed);
  EXPECT_EQ(result.verdict.response.max, 22ms);
  EXPECT_EQ(result.verdict.lateness.max, 12ms);
}

TEST(DeadlinesOnVirtualClock, WhoBlockedIsKnownAndThatTheThreadSleptIsNot) {
  // The kernel's counters of the thread say nothing about virtual time: takt does not guess.
  const PhaseResult result = run_on_virtual_clock("wall_injected", 5s);
  ASSERT_EQ(result.misses.size(), 20U);
  for (const auto& miss : result.misses) {
    EXPECT_EQ(miss.cause, miss.injected ? timing::Cause::unknown : timing::Cause::blocked_by) << miss.detail;
    EXPECT_FALSE(miss.detail.empty());
  }
}

TEST(DeadlinesTimingTest, OnTheMachinesClockEveryInjectedMissIsOwnTimeOffTheCpu) {
  RunSetup setup;
  setup.length = 1s;
  const PhaseResult result = run_phase(*find_phase("wall_injected"), setup);
  std::size_t injected = 0;
  for (const auto& miss : result.verdict.last_misses) {  // on the true grid: never early
    if (!result.rows.at(miss.index - 1).injected) continue;
    ++injected;
    EXPECT_GE(miss.response, 22ms);
    EXPECT_NE(miss.detail.find("own time off the CPU"), std::string::npos) << miss.detail;
    // a machine that keeps the thread waiting for even longer is a larger cause
    if (miss.response < 40ms) {
      EXPECT_EQ(miss.cause, timing::Cause::own_off_cpu) << miss.detail;
    }
  }
  EXPECT_EQ(injected, result.counts.injected);
  EXPECT_GE(injected, 1U);
  EXPECT_GE(result.verdict.causes[static_cast<std::size_t>(timing::Cause::blocked_by)], 1U);
}

TEST(DeadlinesOnVirtualClock, BaselineMeetsEveryDeadline) {
  const PhaseResult result = run_on_virtual_clock("wall_baseline", 5s);
  EXPECT_EQ(result.counts.callbacks, 499U);
  EXPECT_EQ(result.counts.deadline_misses, 0U);
  EXPECT_EQ(result.verdict.judgement, timing::Judgement::met);
  EXPECT_EQ(result.verdict.activations, 500U);
}

TEST(DeadlinesOnVirtualClock, TheIdealMachineOfThePredictionsIsTheVirtualOne) {
  for (const char* phase : {"wall_baseline", "wall_injected"}) {
    for (const Duration length : {Duration{300ms}, Duration{1s}, Duration{5s}, Duration{7321ms}}) {
      const PhaseResult result = run_on_virtual_clock(phase, length);
      const auto ideal = ideal_rows(*find_phase(phase), length);
      ASSERT_EQ(result.rows.size(), ideal.size()) << phase << " " << takt::to_string(length);
      const Duration shift = result.rows[0].wall_start - ideal[0].wall_start;
      for (std::size_t i = 0; i < ideal.size(); ++i) {
        EXPECT_EQ(result.rows[i].wall_start - ideal[i].wall_start, shift) << phase << " row " << i;
        EXPECT_EQ(result.rows[i].wall_end - ideal[i].wall_end, shift) << phase << " row " << i;
      }
      for (const auto& expectation : expectations_of(*find_phase(phase), {.length = length})) {
        if (expectation.quantity.find("own time") != std::string::npos) continue;  // not known, see above
        const auto prediction = prediction_of(expectation, {&result});
        EXPECT_TRUE(prediction.met.value_or(true))
            << phase << " " << takt::to_string(length) << " " << prediction.quantity;
      }
    }
  }
}

}  // namespace
}  // namespace takt::lab::deadlines
