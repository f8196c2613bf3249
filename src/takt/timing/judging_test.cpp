// SPDX-License-Identifier: Apache-2.0
// Exact counts on a virtual clock: what is a miss, a skip, a run, a window, and what is left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "takt/timing/testing/loop.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;
using testing::Loop;

TEST(Judging, ResponseEqualToTheDeadlineIsNoMiss) {
  Loop loop;
  auto& section = loop.timer("step", 10ms);
  loop.run(section, 0ms, 10ms);
  loop.run(section, 0ms, 10ms + 1ns);
  loop.run(section, 4ms, 6ms);
  loop.run(section, 4ms, 6ms + 1ns);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.activations, 4U);
  EXPECT_EQ(v.misses, 2U);
  EXPECT_EQ(v.judgement, Judgement::missed);
  EXPECT_EQ(v.response.max, 10ms + 1ns);
  EXPECT_EQ(v.response.max_index, 2U);
  EXPECT_EQ(v.reason, "2 misses in 4 activations");
}

TEST(Judging, ZeroMissesAreSaidWithTheNumberOfActivations) {
  Loop loop;
  auto& section = loop.timer("step", 10ms);
  for (int i = 0; i < 1000; ++i) loop.run(section, 0ms, 1ms);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.judgement, Judgement::met);
  EXPECT_TRUE(v.reason.empty());
  EXPECT_EQ(v.judged, 1000U);
  EXPECT_THAT(to_text({v}), ::testing::HasSubstr("0 misses in 1000 activations"));
}

TEST(Judging, SkipsAreNoMissesButMakeItMissed) {
  Loop loop;
  auto& section = loop.timer("step", 10ms);
  loop.run(section, 1ms, 1ms);
  loop.run(section, 1ms, 1ms, {.skipped = 3});
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.misses, 0U);
  EXPECT_EQ(v.skips, 3U);
  EXPECT_EQ(v.judgement, Judgement::missed);
  EXPECT_EQ(v.reason, "3 skipped slots");
}

// ros2_control#2236: 0.26 ms late at 500 Hz is 0.26 ms late, and no slot was dropped.
TEST(Judging, ALateCycleIsAsLateAsItIsAndNoSkip) {
  Loop loop;
  auto& section = loop.timer("update", 2ms);
  for (int i = 0; i < 99; ++i) loop.run(section, 0ms, 100us);
  loop.run(section, 260us, 100us);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.activations, 100U);
  EXPECT_EQ(v.lateness.max, 260us);
  EXPECT_EQ(v.lateness.max_index, 100U);
  EXPECT_EQ(v.skips, 0U);
  EXPECT_EQ(v.misses, 0U);
  EXPECT_EQ(v.judgement, Judgement::met);
}

TEST(Judging, LongestRunCountsConsecutiveMisses) {
  Loop loop;
  auto& section = loop.timer("step", 10ms);
  for (const bool miss : {true, false, true, true, true, false, true, true})
    loop.run(section, 0ms, miss ? 11ms : 1ms);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.misses, 6U);
  EXPECT_EQ(v.longest_miss_run, 3U);
}

Judgement judged_with(Tolerance tolerance, const std::string& outcomes) {
  static Loop loop;
  auto& section = loop.timer("step", 10ms, {.tolerance = tolerance});
  for (const char c : outcomes) loop.run(section, 0ms, c == 'x' ? 11ms : 1ms);
  return loop.monitor.verdict(section).judgement;
}

TEST(Judging, ToleranceHoldsInEveryWindow) {
  EXPECT_EQ(judged_with({1, 3}, "x..x..x..x"), Judgement::met);
  EXPECT_EQ(judged_with({1, 3}, "x..x.x"), Judgement::missed);
  EXPECT_EQ(judged_with({2, 5}, "xx...xx...xx"), Judgement::met);
  EXPECT_EQ(judged_with({2, 5}, "xx..x"), Judgement::missed);
  EXPECT_EQ(judged_with({2, 5}, ".x..xx...."), Judgement::missed);
  EXPECT_EQ(judged_with({3, 3}, "xxxxxx"), Judgement::met);
  EXPECT_EQ(judged_with({0, 1}, "....x"), Judgement::missed);
}

/// The definition, window by window.
bool tolerated(Tolerance t, const std::string& outcomes) {
  for (std::size_t at = 0; at < outcomes.size(); ++at) {
    const auto window = outcomes.substr(at, t.window);
    if (std::count(window.begin(), window.end(), 'x') > static_cast<std::ptrdiff_t>(t.misses)) return false;
  }
  return true;
}

TEST(Judging, ToleranceAgreesWithItsDefinition) {
  std::uint32_t random = 1;
  for (int trial = 0; trial < 300; ++trial) {
    std::string outcomes;
    for (int i = 0; i < 30; ++i) {
      random = random * 1664525U + 1013904223U;
      outcomes += (random >> 24) < 64 ? 'x' : '.';
    }
    const Tolerance tolerance{(random >> 8) % 4, 4 + (random >> 16) % 8};
    EXPECT_EQ(judged_with(tolerance, outcomes),
              tolerated(tolerance, outcomes) ? Judgement::met : Judgement::missed)
        << tolerance.misses << " in " << tolerance.window << ": " << outcomes;
  }
}

TEST(Judging, WarmUpIsRecordedAndNotJudged) {
  Loop loop;
  auto& section = loop.timer("step", 10ms, {.warmup = 2});
  for (int i = 0; i < 2; ++i) loop.run(section, 5ms, 50ms, {.skipped = 4});
  auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.judgement, Judgement::not_judged);
  EXPECT_EQ(v.reason, "only 2 warm-up activations ran");
  loop.run(section, 0ms, 1ms);
  v = loop.monitor.verdict(section);
  EXPECT_EQ(v.judgement, Judgement::met);
  EXPECT_EQ(v.activations, 3U);
  EXPECT_EQ(v.warmup, 2U);
  EXPECT_EQ(v.judged, 1U);
  EXPECT_EQ(v.response.count, 1U);
  EXPECT_EQ(v.response.max_index, 3U);
  EXPECT_EQ(section.misses(), 0U);
  EXPECT_EQ(section.skips(), 0U);
}

TEST(Judging, ExcludedActivationsAreCountedAndNotJudged) {
  Loop loop;
  auto& section = loop.timer("step", 10ms);
  loop.run(section, 0ms, 1ms);
  loop.run(section, 900ms, 1ms, {.flags = kExcluded | kClockJumped});
  section.count_excluded(kClockPaused, 5);
  loop.run(section, 0ms, 1ms);
  loop.run(section, 0ms, 1ms);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.judgement, Judgement::met);
  EXPECT_EQ(v.activations, 4U);
  EXPECT_EQ(v.judged, 3U);
  EXPECT_EQ(v.excluded_jumped, 1U);
  EXPECT_EQ(v.excluded_paused, 5U);
  EXPECT_EQ(v.lateness.max, 0ms);
  EXPECT_EQ(v.interval.count, 1U) << "no interval spans the jump";
}

TEST(Judging, IntervalRuleIsStrictBeyondItsJitter) {
  Loop loop;
  auto& section = loop.timer("step", 10ms, {.rule = MissRule::interval, .jitter = 500us});
  for (const auto late : {0us, 500us, 0us, 501us, 1000us}) loop.run(section, late, 1ms);
  // Intervals: 10.5, 9.5, 10.501, 10.499 ms.
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.interval.count, 4U);
  EXPECT_EQ(v.interval.max, 10501us);
  EXPECT_EQ(v.misses, 1U);
  ASSERT_EQ(v.last_misses.size(), 1U);
  EXPECT_EQ(v.last_misses[0].index, 4U);
  EXPECT_EQ(v.last_misses[0].response, 10501us);
}

TEST(Judging, WithoutDeadlineOrActivationsNothingIsJudged) {
  Loop loop;
  auto& none = loop.timer("free", 10ms, {.deadline = kNoDeadline});
  auto& idle = loop.timer("idle", 10ms);
  auto& waiting = loop.timer("waiting", 10ms);
  waiting.count_excluded(kClockNotStarted, 3);
  loop.run(none, 0ms, 100ms);
  EXPECT_EQ(loop.monitor.verdict(none).reason, "no deadline was given");
  EXPECT_EQ(loop.monitor.verdict(idle).reason, "no activations");
  EXPECT_EQ(loop.monitor.verdict(waiting).reason, "the clock never started");
  for (const auto& v : loop.monitor.verdicts()) EXPECT_EQ(v.judgement, Judgement::not_judged);
}

TEST(Judging, LatenessIsOnTheSectionsClockAndExecutionOnTheMonotonicOne) {
  Loop loop;
  SectionOptions options;
  options.name = "sim";
  options.kind = SectionKind::timer;
  options.period = 10ms;
  options.clock = ClockKind::simulated;
  auto& section = loop.monitor.add(options);
  auto activation =
      loop.recorder.begin(section, {.release = ClockTime{500ms}, .start_on_clock = ClockTime{503ms}});
  loop.clock->advance(4ms);
  const auto outcome = loop.recorder.end(activation);
  EXPECT_EQ(outcome.response, 7ms);
  EXPECT_FALSE(outcome.missed);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.lateness.max, 3ms);
  EXPECT_EQ(v.execution.max, 4ms);
  EXPECT_THAT(v.rule_text,
              ::testing::HasSubstr("lateness on the simulated clock, execution on the monotonic one"));
}

TEST(Judging, ResetStartsAnew) {
  Loop loop;
  auto& section = loop.timer("step", 10ms, {.warmup = 1});
  loop.run(section, 0ms, 11ms);
  loop.run(section, 0ms, 11ms);
  EXPECT_EQ(loop.monitor.verdict(section).misses, 1U);
  auto running = loop.recorder.begin(section);  // begun before: not counted
  loop.clock->advance(20ms);
  loop.monitor.reset();
  loop.recorder.end(running);
  loop.clock->advance(1ms);
  loop.run(section, 0ms, 1ms);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.judgement, Judgement::met);
  EXPECT_EQ(v.activations, 1U);
  EXPECT_EQ(v.response.max_index, 1U);
}

TEST(Judging, MissHandlerIsToldAndAHardMissWithoutOneStops) {
  Loop loop;
  std::vector<std::uint64_t> told;
  auto& soft = loop.timer("soft", 10ms, {.on_miss = [&](const MissEvent& e) {
                            EXPECT_STREQ(e.name, "soft");
                            EXPECT_EQ(e.response, 12ms);
                            EXPECT_EQ(e.deadline, 10ms);
                            told.push_back(e.index);
                          }});
  auto& hard = loop.timer("hard", 10ms, {.criticality = Criticality::hard});
  EXPECT_FALSE(loop.run(soft, 0ms, 1ms).missed);
  EXPECT_FALSE(loop.run(soft, 0ms, 12ms).stop);
  EXPECT_FALSE(loop.run(hard, 0ms, 1ms).stop);
  EXPECT_TRUE(loop.run(hard, 0ms, 12ms).stop);
  EXPECT_THAT(told, ::testing::ElementsAre(2U));
}

TEST(Judging, NestedActivationsAreEachRecorded) {
  Loop loop;
  auto& outer = loop.section("outer", 10ms);
  auto& inner = loop.section("inner", 10ms);
  auto o = loop.recorder.begin(outer);
  EXPECT_EQ(current_activation(), &o);
  loop.clock->advance(1ms);
  {
    auto i = loop.recorder.begin(inner);
    EXPECT_EQ(current_activation(), &i);
    loop.clock->advance(2ms);
    loop.recorder.end(i);
  }
  EXPECT_EQ(current_activation(), &o);
  loop.recorder.end(o);
  EXPECT_EQ(current_activation(), nullptr);
  EXPECT_EQ(loop.monitor.verdict(outer).execution.max, 3ms);
  EXPECT_EQ(loop.monitor.verdict(inner).execution.max, 2ms);
}

TEST(Judging, OptionsThatMakeNoSenseAreRefused) {
  Loop loop;
  EXPECT_THROW(loop.section("", 1ms), SetupError);
  EXPECT_THROW(loop.section("a", -1ns), SetupError);
  EXPECT_THROW(loop.timer("a", 1ms, {.jitter = -1ns}), SetupError);
  EXPECT_THROW(loop.timer("a", 1ms, {.tolerance = {1, 0}}), SetupError);
  EXPECT_THROW(loop.timer("a", 1ms, {.tolerance = {3, 2}}), SetupError);
  EXPECT_THROW(Monitor({.ring_records = 100}), SetupError);
}

}  // namespace
}  // namespace takt::timing
