// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/long_interval.hpp"

#include <gmock/gmock.h>

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A phase that starts at the given wall times; each callback takes no time.
PhaseResult starts_at(const char* phase, const std::vector<Duration>& starts) {
  PhaseResult result{.phase = *find_phase(phase)};
  for (const auto start : starts) {
    result.rows.push_back({.wall_start = SteadyTime{start},
                           .timer_start = ClockTime{start},
                           .wall_end = SteadyTime{start},
                           .timer_end = ClockTime{start}});
  }
  result.counts = count(result.rows);
  return result;
}

TEST(LongIntervals, OneWithinTheAllowanceIsOrdinary) {
  const auto list = long_intervals(starts_at("wall_baseline", {0ms, 10ms, 20ms, 30400us, 40ms}));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].reason, Lengthened::ordinary);
  EXPECT_DOUBLE_EQ(list[0].interval_ms, 10.4);
  EXPECT_DOUBLE_EQ(list[0].at_s, 0.0204);  // since the second callback
}

TEST(LongIntervals, AnInjectedSleepExplainsItself) {
  auto result = starts_at("wall_injected", {0ms, 10ms, 32ms, 40ms});
  result.rows[1].injected = true;
  result.rows[1].wall_end = SteadyTime{32ms};
  const auto list = long_intervals(result);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].reason, Lengthened::injected_sleep);
  EXPECT_EQ(list[0].detail, "callback 2 slept for 22.0 ms on purpose");
}

TEST(LongIntervals, AThrottledStretchInAnInjectedIntervalIsFound) {
  auto result = starts_at("sim_rtf1_injected", {0ms, 10ms, 51ms, 60ms});  // as the published 41 ms
  result.rows[1].injected = true;
  result.rows[1].wall_end = SteadyTime{32ms};
  result.throttled = {{.begin = SteadyTime{33ms}, .end = SteadyTime{50ms}, .throttled_ms = 17}};
  const auto list = long_intervals(result);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].reason, Lengthened::throttled);
  EXPECT_THAT(list[0].detail, HasSubstr("17.0 ms"));
}

TEST(LongIntervals, ASilentClockIsNamedWithTheCauseThatItGives) {
  auto result = starts_at("sim_rtf05", {0ms, 20ms, 40ms, 78ms, 98ms});
  result.clock.gaps = {{.at = SteadyTime{78ms}, .length = 20ms}};
  result.clock.end = ClockEnd{.late_steps = {{.at = SteadyTime{60ms},
                                              .response_ms = 19,
                                              .cause = "runqueue",
                                              .detail = "queued for a CPU 19 ms"}}};
  const auto list = long_intervals(result);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].reason, Lengthened::clock_late);
  EXPECT_DOUBLE_EQ(list[0].expected_ms, 20);
  EXPECT_THAT(list[0].detail, HasSubstr("silent for 20.0 ms"));
  EXPECT_THAT(list[0].detail, HasSubstr("queued for a CPU 19 ms"));
  result.clock.end->late_steps.clear();
  EXPECT_THAT(long_intervals(result)[0].detail, HasSubstr("keeps no cause"));
}

TEST(LongIntervals, WithoutQuotaAndClockItIsTheControlThreadWithTaktsCause) {
  auto result = starts_at("wall_baseline", {0ms, 10ms, 40ms, 50ms});
  EXPECT_EQ(long_intervals(result)[0].reason, Lengthened::control_late);
  EXPECT_THAT(long_intervals(result)[0].detail, HasSubstr("no cause is kept"));
  result.verdict.last_misses = {
      {.index = 3, .response = 20ms, .cause = timing::Cause::preempted, .detail = "d"}};
  EXPECT_THAT(long_intervals(result)[0].detail, HasSubstr("preempted by another thread (d)"));
}

TEST(LongIntervals, TheLongestComesFirstAndThenThoseOverTheBudget) {
  const auto list = long_intervals(starts_at("wall_baseline", {0ms, 10ms, 40ms, 65ms, 91ms, 131ms}));
  ASSERT_EQ(list.size(), 3U);  // 25 ms is not over it
  EXPECT_DOUBLE_EQ(list[0].interval_ms, 40);
  EXPECT_DOUBLE_EQ(list[1].interval_ms, 30);
  EXPECT_DOUBLE_EQ(list[2].interval_ms, 26);
}

TEST(LongIntervals, TheTableHasARowForEachMeasuredPhase) {
  const auto measured = starts_at("wall_baseline", {0ms, 10ms, 20ms});
  PhaseResult unmeasured{.phase = *find_phase("sim_rtf1"), .not_measured = "why"};
  const auto table = table_of_longest({&measured, &unmeasured});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][0], "wall_baseline");
}

}  // namespace
}  // namespace takt::lab::deadlines
