// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/executor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "takt/core/system_clock.hpp"
#include "takt/graph/test_support.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;
using takt::testing::Event;
using takt::testing::VirtualRun;

struct ExecutorTest : ::testing::Test {
  VirtualRun run;
  std::shared_ptr<Node> node = run.node();
  Executor executor{ExecutorOptions{.context = run.context}};
  std::vector<std::string> order;

  std::shared_ptr<Event> event(CallbackGroup& group, const std::string& name) {
    return Event::make(*run.context, group, name, [this, name] { order.push_back(name); });
  }
  void run_for(Duration d) {
    TimerOptions options;
    options.name = "end of the test";
    options.deadline = Deadline::none();
    options.group = node->create_callback_group(CallbackGroupType::Reentrant);
    auto end = node->create_timer(
        d, [this] { executor.cancel(); }, options);
    executor.spin();
  }
};

TEST_F(ExecutorTest, RunsByPriorityThenTimeReadyThenRegistration) {
  auto urgent =
      node->create_callback_group(CallbackGroupType::MutuallyExclusive, CallbackGroupOptions{.priority = 5});
  auto& normal = *node->get_default_callback_group();
  auto a = event(normal, "a");
  auto b = event(normal, "b");
  auto c = event(normal, "c");
  auto u = event(*urgent, "urgent");
  executor.add_node(node);
  const auto now = run.start;
  c->trigger(now - 2ns);
  b->trigger(now - 1ns);
  a->trigger(now - 1ns);
  u->trigger(now);
  executor.spin_some();
  EXPECT_EQ(order, (std::vector<std::string>{"urgent", "c", "a", "b"}));
}

TEST_F(ExecutorTest, KeepsANodeThatNobodyElseHolds) {
  struct Counter : Node {
    Counter(std::shared_ptr<Context> context, int& count)
        : Node("counter", {.context = std::move(context)}),
          timer(create_timer(10ms, [&count] { ++count; })) {}
    Timer::SharedPtr timer;
  };
  int count = 0;
  std::weak_ptr<Node> kept;
  {
    auto counter = std::make_shared<Counter>(run.context, count);
    kept = counter;
    executor.add_node(counter);
  }
  executor.add_node(node);
  run_for(35ms);
  EXPECT_EQ(count, 3);
  executor.remove_node(kept.lock());
  EXPECT_TRUE(kept.expired());
}

TEST_F(ExecutorTest, SpinSomeRunsWhatWasReadyAtItsStartEachOnce) {
  std::shared_ptr<Event> again;
  int runs = 0;
  again = Event::make(*run.context, *node->get_default_callback_group(), "again", [&] {
    ++runs;
    again->trigger();  // work keeps arriving (rclcpp#280, #2730)
  });
  executor.add_node(node);
  again->trigger();
  executor.spin_some();
  EXPECT_EQ(runs, 1);
  executor.spin_some();
  EXPECT_EQ(runs, 2);
}

TEST_F(ExecutorTest, SpinAllEndsWithItsTimeWhenWorkNeverEnds) {
  std::shared_ptr<Event> again;
  again = Event::make(*run.context, *node->get_default_callback_group(), "again", [&] {
    run.clock->advance(10ms);
    again->trigger();
  });
  executor.add_node(node);
  again->trigger();
  executor.spin_all(95ms);
  EXPECT_EQ(again->runs(), 10);
  EXPECT_EQ(run.elapsed(), 100ms);
}

TEST_F(ExecutorTest, SpinOnceWaitsForOneCallbackOrItsTimeout) {
  int runs = 0;
  auto timer = node->create_timer(10ms, [&] { ++runs; });
  executor.add_node(node);
  executor.spin_once(5ms);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(run.elapsed(), 5ms);
  executor.spin_once(20ms);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(run.elapsed(), 10ms);
}

TEST_F(ExecutorTest, ATimerThatOverrunsKeepsItsPhaseAndCountsSkips) {
  std::vector<Duration> starts;
  auto timer = node->create_timer(10ms, [&] {
    starts.push_back(run.elapsed());
    if (starts.size() == 1) run.clock->sleep_for(22ms);
  });
  executor.add_node(node);
  run_for(55ms);
  EXPECT_EQ(starts, (std::vector<Duration>{10ms, 32ms, 40ms, 50ms}));
  EXPECT_EQ(timer->section().skips(), 1U);
  EXPECT_EQ(timer->section().misses(), 2U);
}

TEST_F(ExecutorTest, ASlowTimerHasOnePendingActivationAndLetsASubscriptionRun) {  // rclcpp#2771
  int timer_runs = 0;
  auto timer = node->create_timer(100ms, [&] {
    ++timer_runs;
    run.clock->sleep_for(run.elapsed() < 2s ? 200ms : 1ms);
  });
  int served = 0;
  std::shared_ptr<Event> input;
  input = Event::make(*run.context, *node->get_default_callback_group(), "input", [&] { ++served; });
  auto source_group = node->create_callback_group(CallbackGroupType::Reentrant);
  auto source = node->create_timer(
      50ms, [&] { input->trigger(); }, TimerOptions{.group = source_group});
  executor.add_node(node);
  run_for(3s);
  // 10 slow ones in the first 2 s, then one every 100 ms: never a burst, and every input served.
  EXPECT_LE(timer_runs, 21);
  EXPECT_GE(timer_runs, 19);
  EXPECT_GE(timer->section().skips(), 9U);
  EXPECT_LE(source->section().activations(),
            static_cast<std::uint64_t>(served) + 1);  // the last may still be pending
}

TEST_F(ExecutorTest, EveryReadyCallbackRunsThoughATimerFillsItsPeriod) {  // rclcpp#392
  auto timer = node->create_timer(10ms, [&] { run.clock->sleep_for(10ms); });
  int served = 0;
  auto service = Event::make(*run.context, *node->get_default_callback_group(), "service", [&] { ++served; });
  executor.add_node(node);
  auto group = node->create_callback_group(CallbackGroupType::Reentrant);
  auto client = node->create_timer(
      25ms, [&] { service->trigger(); }, TimerOptions{.group = group});
  run_for(1s);
  EXPECT_GE(served, 39);
  EXPECT_GE(timer->section().activations(), 45U);
}

TEST_F(ExecutorTest, ACatchUpTimerRunsEachMissedSlotWithoutStarvingOthers) {
  int runs = 0;
  auto timer = node->create_timer(
      10ms,
      [&] {
        if (++runs == 1) run.clock->sleep_for(45ms);
        order.emplace_back("timer");
      },
      TimerOptions{.overrun = OverrunPolicy::catch_up});
  std::shared_ptr<Event> other = event(*node->get_default_callback_group(), "other");
  auto once = node->create_timer(
      12ms, [&] { other->trigger(); }, TimerOptions{.deadline = Deadline::none()});
  executor.add_node(node);
  run_for(65ms);
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(timer->section().skips(), 0U);
  ASSERT_GE(order.size(), 4U);
  EXPECT_NE(std::find(order.begin(), order.begin() + 4, "other"), order.begin() + 4);
}

TEST_F(ExecutorTest, AReAnchoringTimerMovesItsPhase) {
  std::vector<Duration> starts;
  auto timer = node->create_timer(
      10ms,
      [&] {
        starts.push_back(run.elapsed());
        if (starts.size() == 1) run.clock->sleep_for(22ms);
      },
      TimerOptions{.overrun = OverrunPolicy::re_anchor});
  executor.add_node(node);
  run_for(55ms);
  EXPECT_EQ(starts, (std::vector<Duration>{10ms, 32ms, 42ms, 52ms}));
}

TEST_F(ExecutorTest, ATimerThatCancelsItselfStopsOnlyItself) {  // rclcpp#2375
  int a = 0, b = 0;
  Timer::SharedPtr first;
  first = node->create_timer(10ms, [&] {
    ++a;
    first->cancel();
  });
  auto second = node->create_timer(10ms, [&] { ++b; });
  executor.add_node(node);
  run_for(55ms);
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 5);
}

TEST_F(ExecutorTest, ATimerBornCancelledNeverFiresBeforeReset) {  // rclcpp#2194, #319
  std::vector<Duration> starts;
  auto timer = node->create_timer(
      10ms, [&] { starts.push_back(run.elapsed()); }, TimerOptions{.autostart = false});
  auto starter = node->create_timer(
      35ms, [&] { timer->reset(); }, TimerOptions{.deadline = Deadline::none()});
  executor.add_node(node);
  EXPECT_TRUE(timer->is_canceled());
  run_for(60ms);
  EXPECT_EQ(starts, (std::vector<Duration>{45ms, 55ms}));
}

TEST_F(ExecutorTest, APendingEventOfBeforeACancelNeverRuns) {
  int late = 0;
  Timer::SharedPtr victim;
  auto killer =
      node->create_timer(10ms, [&] { victim->cancel(); });  // registered first: runs first of the two due
  victim = node->create_timer(10ms, [&] { ++late; });
  executor.add_node(node);
  run_for(100ms);
  EXPECT_EQ(late, 0);
}

TEST_F(ExecutorTest, AResetDropsThePendingEventAndStartsAnewFromNow) {
  std::vector<Duration> starts;
  Timer::SharedPtr timer, killer;
  killer = node->create_timer(30ms, [&] {
    killer->cancel();
    run.clock->sleep_for(5ms);
    timer->reset();
  });
  timer = node->create_timer(30ms, [&] { starts.push_back(run.elapsed()); });
  executor.add_node(node);
  run_for(70ms);
  EXPECT_EQ(starts, (std::vector<Duration>{65ms}));  // the one of 30 ms was pending when reset came at 35 ms
}

TEST_F(ExecutorTest, ANewPeriodLeavesThePendingSlot) {
  std::vector<Duration> starts;
  auto timer = node->create_timer(30ms, [&] { starts.push_back(run.elapsed()); });
  timer->set_period(10ms);
  executor.add_node(node);
  run_for(55ms);
  EXPECT_EQ(starts, (std::vector<Duration>{30ms, 40ms, 50ms}));
}

TEST_F(ExecutorTest, SlotsBeforeTheFirstSpinAreExcludedNotMissed) {
  auto timer = node->create_timer(10ms, [] {});
  run.clock->advance(35ms);
  executor.add_node(node);
  run_for(30ms);
  EXPECT_EQ(timer->section().skips(), 0U);
  EXPECT_EQ(timer->section().misses(), 0U);
  EXPECT_EQ(timer->section().activations(), 3U);  // 40, 50, 60
  for (const auto& verdict : run.context->verdicts()) {
    if (verdict.kind == timing::SectionKind::timer && verdict.options.period == 10ms) {
      EXPECT_EQ(verdict.excluded_not_started, 3U);
    }
  }
}

TEST_F(ExecutorTest, RethrowsTheOriginalExceptionNamesTheCallbackAndSpinsAgain) {
  struct Special : std::runtime_error {
    using runtime_error::runtime_error;
  };
  int runs = 0;
  auto timer = node->create_timer(
      10ms,
      [&] {
        if (++runs == 2) throw Special("broken");
      },
      TimerOptions{.name = "the culprit"});
  executor.add_node(node);
  EXPECT_THROW(executor.spin(), Special);
  EXPECT_EQ(executor.failed_callback(), "node/the culprit");
  EXPECT_FALSE(executor.is_spinning());
  run_for(35ms);
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(executor.failed_callback(), "");
}

TEST_F(ExecutorTest, AHardDeadlineWithoutAHandlerEndsSpin) {
  auto timer = node->create_timer(
      10ms, [&] { run.clock->sleep_for(15ms); },
      TimerOptions{.deadline = Deadline().hard(), .name = "hard one"});
  executor.add_node(node);
  EXPECT_THROW(executor.spin(), DeadlineMissed);
  EXPECT_EQ(executor.failed_callback(), "node/hard one");
}

TEST_F(ExecutorTest, AMissHandlerIsCalledInsteadOfStopping) {
  int handled = 0;
  auto timer = node->create_timer(
      10ms, [&] { run.clock->sleep_for(15ms); },
      TimerOptions{.deadline = Deadline().hard().on_miss([&](const MissEvent& miss) {
        ++handled;
        EXPECT_GE(miss.response, 15ms);
      })});
  executor.add_node(node);
  run_for(95ms);
  EXPECT_EQ(static_cast<std::uint64_t>(handled), timer->section().misses());
  EXPECT_GT(handled, 2);
}

TEST_F(ExecutorTest, CallbacksMayRemoveThemselvesAndEachOther) {
  auto group_a = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  auto group_b = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  int a = 0, b = 0;
  Timer::SharedPtr timer_a = node->create_timer(
      10ms,
      [&] {
        ++a;
        executor.remove_callback_group(group_b);
        executor.remove_callback_group(group_a);
      },
      TimerOptions{.group = group_a});
  Timer::SharedPtr timer_b = node->create_timer(
      10ms, [&] { ++b; }, TimerOptions{.group = group_b});
  executor.add_node(node);
  run_for(100ms);
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 0);
  executor.add_callback_group(group_b);
  run_for(50ms);
  EXPECT_GT(b, 0);
}

TEST_F(ExecutorTest, ATimerMayDropItsOwnHandle) {
  int runs = 0;
  Timer::SharedPtr timer = node->create_timer(10ms, [&] {
    ++runs;
    timer.reset();
  });
  executor.add_node(node);
  run_for(50ms);
  EXPECT_EQ(runs, 1);
}

TEST_F(ExecutorTest, NodesAndGroupsMayBeAddedFromInsideACallback) {
  std::shared_ptr<Node> late;
  Timer::SharedPtr late_timer;
  int runs = 0;
  auto timer = node->create_timer(10ms, [&] {
    if (late) return;
    late = run.node("late");
    late_timer = late->create_timer(5ms, [&] { ++runs; });
    executor.add_node(late);
  });
  executor.add_node(node);
  run_for(42ms);
  EXPECT_EQ(runs, 6);
  executor.remove_node(late);
  run_for(20ms);
  EXPECT_EQ(runs, 6);
}

TEST_F(ExecutorTest, ASecondExecutorIsRefusedByName) {
  Executor other(ExecutorOptions{.name = "other", .context = run.context});
  executor.add_node(node);
  try {
    other.add_node(node);
    FAIL();
  } catch (const SetupError& e) {
    EXPECT_NE(std::string(e.what()).find("executor already"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("node"), std::string::npos);
  }
  EXPECT_THROW(other.add_callback_group(node->get_default_callback_group()), SetupError);
}

TEST_F(ExecutorTest, AGroupThatIsNotAddedAutomaticallyIsInvisibleToItsNodesExecutor) {
  auto by_hand = node->create_callback_group(CallbackGroupType::MutuallyExclusive, false);
  int runs = 0;
  auto timer = node->create_timer(
      10ms, [&] { ++runs; }, TimerOptions{.group = by_hand});
  executor.add_node(node);
  run_for(30ms);
  EXPECT_EQ(runs, 0);
  executor.add_callback_group(by_hand, node->get_node_base_interface());
  run_for(30ms);
  EXPECT_GT(runs, 0);
}

TEST_F(ExecutorTest, RefusesPeriodsThatNoTimerCanHave) {  // rclcpp#1177, ros2_controllers#437
  EXPECT_THROW(node->create_timer(-1ms, [] {}), SetupError);
  EXPECT_THROW(node->create_timer(0ms, [] {}), SetupError);
  EXPECT_THROW(node->create_timer(std::chrono::hours::max(), [] {}), SetupError);
  EXPECT_NO_THROW(node->create_timer(
      0ms, [] {}, TimerOptions{.allow_zero_period = true}));
}

TEST_F(ExecutorTest, AZeroPeriodIsRefusedOnARealTimeThread) {
  auto timer = node->create_timer(
      0ms, [] {}, TimerOptions{.name = "flat out", .allow_zero_period = true});
  Executor real_time(ExecutorOptions{.scheduling = Fifo{10}, .context = run.context});
  EXPECT_THROW(real_time.add_node(node), SetupError);
}

TEST_F(ExecutorTest, SpinningAgainFromItsOwnCallbackIsRefused) {
  auto timer = node->create_timer(10ms, [&] {
    EXPECT_THROW(executor.spin_some(), SetupError);
    executor.cancel();
  });
  executor.add_node(node);
  executor.spin();
}

TEST_F(ExecutorTest, ShutdownEndsSpinAndRunsItsCallbacksOnce) {
  int told = 0;
  run.context->on_shutdown([&] { ++told; });
  auto timer = node->create_timer(10ms, [&] { run.context->shutdown("enough"); });
  executor.add_node(node);
  executor.spin();
  run.context->shutdown("again");
  EXPECT_EQ(told, 1);
  EXPECT_EQ(run.context->shutdown_reason(), "enough");
  executor.spin();  // returns at once
}

TEST_F(ExecutorTest, ASteppingSystemClockReAnchorsItsTimersAndLeavesTheOthers) {  // rclpy#1490
  auto offset = std::make_shared<Duration>(std::chrono::hours{24 * 365 * 50});
  auto calendar = std::make_shared<SystemClock>(
      [this, offset] { return run.clock->steady_now().time_since_epoch() + *offset; },
      [this] { return run.clock->steady_now().time_since_epoch(); });
  std::vector<Duration> steady, system;
  auto a = node->create_timer(10ms, [&] {
    steady.push_back(run.elapsed());
    if (steady.size() == 3) *offset -= 60s;
  });
  auto b = node->create_timer(
      10ms, [&] { system.push_back(run.elapsed()); }, TimerOptions{.clock = calendar});
  executor.add_node(node);
  run_for(100ms);
  EXPECT_EQ(steady.size(), 10U);
  EXPECT_GE(system.size(), 7U);  // re-anchored within one period
  for (const auto& verdict : run.context->verdicts()) {
    if (verdict.clock == ClockKind::system) {
      EXPECT_EQ(verdict.excluded_jumped, 1U);
    }
  }
}

TEST(ExecutorAfterAnother, SpinsThoughTheOneBeforeWasCancelledWhenItDidNotSpin) {
  const testing::VirtualRun run;
  { Executor({.context = run.context}).cancel(); }
  const auto node = run.node();
  Executor executor({.context = run.context});
  executor.add_node(node);
  int calls = 0;
  const auto timer = node->create_timer(10ms, [&] {
    if (++calls == 3) executor.cancel();
  });
  executor.spin();
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace takt
