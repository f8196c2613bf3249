// SPDX-License-Identifier: Apache-2.0
// Chains: first start to last finish, the origin that travels with a message, fusion, and origins that are
// lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "takt/timing/testing/loop.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;
using testing::Loop;

ChainOptions chain(std::string from, std::string to, Duration deadline) {
  ChainOptions options;
  options.name = "chain";
  options.from = std::move(from);
  options.to = std::move(to);
  options.deadline = deadline;
  return options;
}

/// Runs `section` as if a message with this origin had triggered it; returns the origin of what it publishes.
Origin hop(Loop& loop, Section& section, std::optional<Origin> origin, Duration busy) {
  const auto now = loop.clock->steady_now();
  auto activation =
      loop.recorder.begin(section, {.release = ClockTime{now.time_since_epoch()}, .origin = origin});
  loop.clock->advance(busy);
  loop.recorder.end(activation);
  return activation.origin;
}

TEST(Chains, LatencyIsFirstStartToLastFinish) {
  Loop loop;
  auto& camera = loop.section("camera", kNoDeadline);
  auto& filter = loop.section("filter", kNoDeadline);
  auto& motor = loop.section("motor", kNoDeadline);
  auto& whole = loop.monitor.add_chain(chain("camera", "motor", 10ms));
  for (const auto wait : {0ms, 5ms, 6ms}) {
    const auto origin = hop(loop, camera, std::nullopt, 1ms);
    loop.clock->advance(wait);
    hop(loop, motor, hop(loop, filter, origin, 2ms), 2ms);
    loop.clock->advance(100ms);
  }
  const auto v = loop.monitor.verdict(whole);
  EXPECT_EQ(v.kind, SectionKind::chain);
  EXPECT_EQ(v.activations, 3U);
  EXPECT_EQ(v.misses, 1U) << "10 ms is met, 11 ms is not";
  EXPECT_EQ(v.response.max, 11ms);
  EXPECT_EQ(v.response.max_index, 3U);
  EXPECT_EQ(whole.activations(), 3U);
  EXPECT_EQ(whole.misses(), 1U);
  ASSERT_EQ(v.last_misses.size(), 1U);
  EXPECT_EQ(v.last_misses[0].cause, Cause::late_trigger);
  EXPECT_THAT(v.rule_text, ::testing::HasSubstr("latency (finish of motor - start of camera) <= 10 ms"));
}

TEST(Chains, NamesTheSlowestOfTheSameRun) {
  Loop loop;
  auto& camera = loop.section("camera", kNoDeadline);
  auto& filter = loop.section("filter", kNoDeadline);
  auto& motor = loop.section("motor", kNoDeadline);
  auto& whole = loop.monitor.add_chain(chain("camera", "motor", 10ms));
  hop(loop, filter, std::nullopt, 50ms);  // of another run
  hop(loop, motor, hop(loop, filter, hop(loop, camera, std::nullopt, 1ms), 9ms), 2ms);
  const auto v = loop.monitor.verdict(whole);
  ASSERT_EQ(v.last_misses.size(), 1U);
  EXPECT_THAT(v.last_misses[0].detail, ::testing::HasSubstr("slowest in the chain: filter 2 took 9 ms"));
}

TEST(Chains, FusionKeepsTheOldestOrigin) {
  Loop loop;
  auto& camera = loop.section("camera", kNoDeadline);
  auto& fusion = loop.section("fusion", kNoDeadline);
  auto& whole = loop.monitor.add_chain(chain("camera", "fusion", 10ms));
  const auto first = hop(loop, camera, std::nullopt, 1ms);
  loop.clock->advance(5ms);
  const auto second = hop(loop, camera, std::nullopt, 1ms);
  hop(loop, fusion, Origin::oldest(second, first), 1ms);
  EXPECT_EQ(loop.monitor.verdict(whole).response.max, 8ms);
}

TEST(Chains, ALostOriginIsCountedAndNotJudged) {
  Loop loop;
  auto& camera = loop.section("camera", kNoDeadline);
  auto& motor = loop.section("motor", kNoDeadline);
  auto& whole = loop.monitor.add_chain(chain("camera", "motor", 10ms));
  hop(loop, motor, Origin{}, 50ms);
  hop(loop, motor, Origin::oldest(Origin{}, hop(loop, camera, std::nullopt, 1ms)), 50ms);
  auto v = loop.monitor.verdict(whole);
  EXPECT_EQ(v.judgement, Judgement::not_judged);
  EXPECT_EQ(v.lost_origins, 2U);
  EXPECT_EQ(v.reason, "the origin was lost in all 2 activations at its end");
  hop(loop, motor, hop(loop, camera, std::nullopt, 1ms), 1ms);
  v = loop.monitor.verdict(whole);
  EXPECT_EQ(v.judgement, Judgement::met);
  EXPECT_EQ(v.judged, 1U);
}

TEST(Chains, AnotherOriginIsNotThisChain) {
  Loop loop;
  auto& camera = loop.section("camera", kNoDeadline);
  auto& lidar = loop.section("lidar", kNoDeadline);
  auto& motor = loop.section("motor", kNoDeadline);
  auto& whole = loop.monitor.add_chain(chain("camera", "motor", 10ms));
  hop(loop, motor, hop(loop, lidar, std::nullopt, 50ms), 1ms);
  hop(loop, motor, std::nullopt, 50ms);
  hop(loop, camera, std::nullopt, 1ms);
  const auto v = loop.monitor.verdict(whole);
  EXPECT_EQ(v.reason, "no activations");
  EXPECT_EQ(v.lost_origins, 0U);
}

TEST(Chains, ItsEndsMayBeAddedLaterAndNamedWithTheirNode) {
  Loop loop;
  auto& whole = loop.monitor.add_chain(chain("drivers/camera", "drivers/motor", 10ms));
  EXPECT_EQ(loop.monitor.verdict(whole).reason, "no section is named 'drivers/camera', where it begins");
  SectionOptions options;
  options.node = "drivers";
  options.name = "camera";
  auto& camera = loop.monitor.add(options);
  options.name = "motor";
  auto& motor = loop.monitor.add(options);
  hop(loop, motor, hop(loop, camera, std::nullopt, 1ms), 1ms);
  EXPECT_EQ(loop.monitor.verdict(whole).activations, 1U);
  EXPECT_EQ(loop.monitor.find("drivers/motor"), &motor);
  EXPECT_EQ(loop.monitor.name_of(motor.id()), "drivers/motor");
}

TEST(Chains, AHardChainStops) {
  Loop loop;
  auto& camera = loop.section("camera", kNoDeadline);
  auto& motor = loop.section("motor", kNoDeadline);
  auto options = chain("camera", "motor", 1ms);
  options.criticality = Criticality::hard;
  loop.monitor.add_chain(options);
  const auto origin = hop(loop, camera, std::nullopt, 1ms);
  auto activation = loop.recorder.begin(motor, {.origin = origin});
  loop.clock->advance(1ms);
  EXPECT_TRUE(loop.recorder.end(activation).stop);
}

}  // namespace
}  // namespace takt::timing
