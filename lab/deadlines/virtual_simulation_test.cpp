// SPDX-License-Identifier: Apache-2.0
// The experiment's own node under a simulator that is exact: what the simulated phases give without a
// machine's doing.
#include <gtest/gtest.h>

#include <memory>
#include <rosgraph_msgs/msg/clock.hpp>

#include "lab/deadlines/control_node.hpp"
#include "lab/deadlines/published_counts.hpp"
#include "takt/graph/simulated_world_test_support.hpp"
#include "takt/takt.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;

struct ExactRun {
  Counts counts;
  timing::Verdict verdict;
};

/// The clock's samples reach the node at once (as a thread of its own would have them) or, with `shared`,
/// through the topic and the one thread that runs the callback as well.
ExactRun exact_run(const char* name, bool shared = false) {
  const Phase& phase = *find_phase(name);
  const auto world = std::make_shared<SimulatedWorld>(SimulatedWorld::Options{.rtf = phase.target_rtf});
  InitOptions init;
  init.handle_signals = false;
  init.verdict = timing::VerdictFormat::off;
  init.discovery = DiscoveryRange::off;
  init.clock = world;
  const auto context = Context::make(init);
  const auto node = std::make_shared<ControlNode>(
      phase, NodeOptions{.context = context, .use_sim_time = true, .clock_thread = ClockThread::shared});
  Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock;
  if (shared) clock = node->create_publisher<rosgraph_msgs::msg::Clock>("/clock", 10);
  world->deliver_to([&](ClockTime sample, SteadyTime at) {
    if (!shared) return node->get_clock()->time().set(sample, at, true);
    rosgraph_msgs::msg::Clock message;
    message.clock.sec = static_cast<std::int32_t>(sample.time_since_epoch() / 1s);
    message.clock.nanosec = static_cast<std::uint32_t>(sample.time_since_epoch() % 1s / 1ns);
    clock->publish(message);
  });
  Executor executor({.context = context});
  executor.add_node(node);
  while (!node->get_clock()->started()) executor.spin_once(10ms);
  node->begin(5s);
  executor.spin();
  return {count(node->rows()), context->monitor().verdict(node->section())};
}

TEST(DeadlinesOnAnExactSimulation, AtFactorOneTheInjectedPhaseIsThatOfTheWallClock) {
  const auto [counts, verdict] = exact_run("sim_rtf1_injected");
  expect_published_counts(counts);
  EXPECT_DOUBLE_EQ(counts.node_rtf, 1.0);
  EXPECT_EQ(verdict.misses, 20U);
  EXPECT_EQ(verdict.skips, 10U);
  EXPECT_EQ(verdict.clock, ClockKind::simulated);
}

TEST(DeadlinesOnAnExactSimulation, TheInjectedCallbackTakes22MsOnTheNodesClockAndNoneWhereTheThreadIsShared) {
  const auto own = exact_run("sim_rtf1_injected").counts;
  EXPECT_EQ(own.execution_timer_max_injected_ms, 22.0);
  EXPECT_EQ(own.execution_wall_max_injected_ms, 22.0);
  const auto shared = exact_run("sim_rtf1_injected", true).counts;
  EXPECT_EQ(shared.execution_timer_max_injected_ms, 0.0);
  EXPECT_EQ(shared.execution_wall_max_injected_ms, 22.0);
  EXPECT_EQ(shared.deadline_misses, 20U);
  EXPECT_EQ(shared.skipped_periods, 10);
}

TEST(DeadlinesOnAnExactSimulation, WithoutInjectionEveryDeadlineIsMet) {
  const auto [counts, verdict] = exact_run("sim_rtf1");
  EXPECT_EQ(counts.deadline_misses, 0U);
  EXPECT_DOUBLE_EQ(counts.interval_wall.mean_ms, 10.0);
  EXPECT_EQ(verdict.judgement, timing::Judgement::met);
}

TEST(DeadlinesOnAnExactSimulation, AtFactorOneHalfTenMsOfSimulatedTimeAreTwentyOfWallTime) {
  const auto [counts, verdict] = exact_run("sim_rtf05");
  EXPECT_EQ(counts.deadline_misses, 0U);
  EXPECT_DOUBLE_EQ(counts.interval_wall.mean_ms, 20.0);
  EXPECT_DOUBLE_EQ(counts.interval_wall.max_ms, 20.0);
  EXPECT_DOUBLE_EQ(counts.interval_timer.mean_ms, 10.0);
  EXPECT_EQ(counts.intervals_over_budget, 0U);
  EXPECT_DOUBLE_EQ(counts.node_rtf, 0.5);
}

}  // namespace
}  // namespace takt::lab::deadlines
