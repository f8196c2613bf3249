// SPDX-License-Identifier: Apache-2.0
// /clock as nodes receive it: within a process, from another one, and from a simulator that does not come.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <rosgraph_msgs/msg/clock.hpp>

#include "takt/core/error.hpp"
#include "takt/core/virtual_clock.hpp"
#include "takt/graph/clock_receiver.hpp"
#include "takt/graph/host_test_support.hpp"
#include "takt/graph/test_support.hpp"

namespace takt::testing {
namespace {

using namespace std::chrono_literals;
using ClockMessage = rosgraph_msgs::msg::Clock;

ClockTime stamp_at(Duration d) { return ClockTime{d}; }

ClockMessage clock_message(Duration stamp) {
  ClockMessage message;
  message.clock.sec = static_cast<std::int32_t>(stamp / 1s);
  message.clock.nanosec = static_cast<std::uint32_t>(stamp % 1s / 1ns);
  return message;
}

/// A node that sends /clock.
struct Simulator {
  explicit Simulator(const Context::SharedPtr& context, const QoS& qos = QoS(10))
      : node(std::make_shared<Node>("simulator", NodeOptions{.context = context})),
        publisher(node->create_publisher<ClockMessage>("/clock", qos)) {}
  void send(Duration stamp) const { publisher->publish(clock_message(stamp)); }

  Node::SharedPtr node;
  Publisher<ClockMessage>::SharedPtr publisher;
};

Node::SharedPtr simulated_node(const Context::SharedPtr& context, ClockThread thread = ClockThread::own) {
  return std::make_shared<Node>(
      "loop", NodeOptions{.context = context, .use_sim_time = true, .clock_thread = thread});
}

TEST(TimeSourceTest, ANodeHearsTheClockOnAThreadOfItsOwnThoughNobodySpinsIt) {
  const auto context = quiet_context();
  const auto node = simulated_node(context);
  const Simulator simulator(context);
  EXPECT_EQ(node->now(), stamp_at(0s));
  simulator.send(5s);
  EXPECT_TRUE(node->get_clock()->wait_until_started(10s));
  EXPECT_EQ(node->now(), stamp_at(5s));
}

TEST(TimeSourceTest, ALateJoinerSeesZeroUntilTheNextMessage) {
  const auto context = quiet_context();
  const Simulator simulator(context);
  simulator.send(5s);
  const auto node = simulated_node(context);
  EXPECT_FALSE(node->get_clock()->wait_until_started(50ms));
  EXPECT_EQ(node->now(), stamp_at(0s));
  simulator.send(6s);
  EXPECT_TRUE(node->get_clock()->wait_until_started(10s));
  EXPECT_EQ(node->now(), stamp_at(6s));
}

TEST(TimeSourceTest, AllNodesOfAContextShareTheThread) {
  const auto context = quiet_context();
  const Simulator simulator(context);
  const auto a = simulated_node(context);
  const auto b = simulated_node(context);
  EXPECT_EQ(simulator.publisher->get_subscription_count(), 1U);
  simulator.send(5s);
  EXPECT_TRUE(a->get_clock()->wait_until_started(10s));
  EXPECT_TRUE(b->get_clock()->wait_until_started(10s));
}

TEST(TimeSourceTest, WithASharedThreadTimeStandsInsideACallback) {
  for (const auto thread : {ClockThread::own, ClockThread::shared}) {
    const auto context = quiet_context();
    const Simulator simulator(context);
    const auto node = simulated_node(context, thread);
    Executor executor({.context = context});
    executor.add_node(node);
    std::optional<Duration> seen;
    const auto once = node->create_wall_timer(1ms, [&] {
      if (node->now() != stamp_at(5s)) return simulator.send(5s);
      simulator.send(5s + 22ms);
      if (thread == ClockThread::own) node->get_clock()->sleep_until(stamp_at(5s + 22ms));
      seen = node->now() - stamp_at(5s);
      executor.cancel();
    });
    executor.spin();
    EXPECT_EQ(seen, thread == ClockThread::own ? 22ms : 0ms);
  }
}

TEST(TimeSourceTest, SimulatedTimeCanBeSwitchedOffAndOn) {
  const auto context = quiet_context();
  const Simulator simulator(context);
  const auto node = simulated_node(context);
  node->set_use_sim_time(false);
  EXPECT_EQ(node->get_clock()->kind(), ClockKind::system);
  EXPECT_GT(node->now(), stamp_at(24h * 365));
  EXPECT_EQ(simulator.publisher->get_subscription_count(), 0U);
  node->set_use_sim_time(true);
  EXPECT_EQ(node->now(), stamp_at(0s));
  simulator.send(5s);
  EXPECT_TRUE(node->get_clock()->wait_until_started(10s));
}

TEST(TimeSourceTest, WhatIsNoTimeIsIgnored) {
  const auto context = quiet_context();
  const Simulator simulator(context);
  const auto node = simulated_node(context);
  auto bad = clock_message(9s);
  bad.clock.nanosec = 1'000'000'000;
  simulator.publisher->publish(bad);
  bad = clock_message(9s);
  bad.clock.sec = -1;
  simulator.publisher->publish(bad);
  EXPECT_FALSE(node->get_clock()->wait_until_started(20ms));
  simulator.send(5s);
  EXPECT_TRUE(node->get_clock()->wait_until_started(10s));
  EXPECT_EQ(node->now(), stamp_at(5s));
}

TEST(TimeSourceTest, TwoSimulatorsAtOnceAreSaidAndARestartedOneIsNot) {
  LogLines log;
  const auto context = quiet_context();
  const auto node = simulated_node(context);
  const auto send = [&](const Simulator& simulator, Duration stamp) {
    simulator.send(stamp);
    EXPECT_TRUE(comes_true([&] { return node->now() == stamp_at(stamp); }));
  };
  const Simulator first(context);
  const Simulator second(context);
  send(first, 5s);
  send(second, 1s);
  EXPECT_FALSE(log.says("send /clock"));
  send(first, 6s);
  EXPECT_TRUE(log.says("2 publishers send /clock"));
}

TEST(TimeSourceTest, TheLastNodeMayGoInAJumpCallbackOfItsOwnClock) {
  const auto context = quiet_context();
  const Simulator simulator(context);
  auto node = simulated_node(context);
  std::atomic<bool> gone{false};
  const auto handler = node->get_clock()->create_jump_callback({},
                                                               [&](const TimeJump&) {
                                                                 node.reset();
                                                                 gone = true;
                                                               },
                                                               {.min_forward = 1ns});
  simulator.send(5s);
  EXPECT_TRUE(comes_true([&] { return gone.load(); }));
  EXPECT_TRUE(comes_true([&] { return simulator.publisher->get_subscription_count() == 0; }));
}

TEST(TimeSourceTest, AShutdownWakesWhoWaitsForTheClock) {
  const auto context = quiet_context();
  const auto node = simulated_node(context);
  std::thread waiter([&] { EXPECT_FALSE(node->get_clock()->wait_until_started()); });
  std::this_thread::sleep_for(2ms);
  context->shutdown();
  waiter.join();
  EXPECT_FALSE(simulated_node(context)->get_clock()->wait_until_started());
}

TEST(TimeSourceTest, TheClockComesFromAnotherProcessWhateverItsReliability) {
  for (const auto& qos : {QoS(10), QoS(10).best_effort()}) {
    const shm::DiscoveryFolder folder;
    const auto here = host_context(folder.base());
    const auto there = host_context(folder.base());
    const Simulator simulator(there, qos);
    const auto node = simulated_node(here);
    std::atomic<int> calls{0};
    const auto timer = node->create_timer(10ms, [&] { calls.fetch_add(1); });
    const Spinning spinning(node);
    EXPECT_TRUE(comes_true([&] { return simulator.publisher->get_subscription_count() == 1; }));
    for (int n = 0; calls.load() < 3; ++n) {
      simulator.send(1s + n * 1ms);
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_GT(node->now(), stamp_at(1s));
  }
}

TEST(TimeSourceTest, ARestartedSimulatorIsHeardAndIsAJumpBack) {
  const shm::DiscoveryFolder folder;
  const auto here = host_context(folder.base());
  const auto node = simulated_node(here);
  std::atomic<int> jumps_back{0};
  const auto handler =
      node->get_clock()->create_jump_callback({}, [&](const TimeJump&) { jumps_back.fetch_add(1); },
                                              {.on_clock_change = false, .min_backward = -1ns});
  for (const Duration stamp : {Duration{50s}, Duration{1s}}) {
    const auto there = host_context(folder.base());
    const Simulator simulator(there);
    EXPECT_TRUE(comes_true([&] { return simulator.publisher->get_subscription_count() == 1; }));
    simulator.send(stamp);
    EXPECT_TRUE(comes_true([&] { return node->now() == stamp_at(stamp); }));
  }
  EXPECT_EQ(jumps_back.load(), 1);
}

TEST(TimeSourceTest, AJumpCallbackThatSwitchesItsOwnNodeIsToldWhy) {
  const auto context = quiet_context();
  const auto node = std::make_shared<Node>("loop", NodeOptions{.context = context});
  int refused = 0;
  const auto handler = node->get_clock()->create_jump_callback({},
                                                               [&](const TimeJump&) {
                                                                 try {
                                                                   node->set_use_sim_time(false);
                                                                 } catch (const SetupError&) {
                                                                   ++refused;
                                                                 }
                                                               },
                                                               {});
  node->set_use_sim_time(true);  // in this thread, which would wait for itself
  EXPECT_EQ(refused, 1);
  EXPECT_TRUE(node->get_clock()->ros_time_is_active());
}

TEST(TimeSourceTest, AClockThreadThatIsRefusedItsCpuRefusesSimulatedTime) {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  options.clock_thread.cpus = {4711};
  const auto context = Context::make(std::move(options));
  EXPECT_THROW(simulated_node(context), SetupError);
  const auto node = std::make_shared<Node>("loop", NodeOptions{.context = context});
  EXPECT_THROW(node->set_use_sim_time(true), SetupError);
  EXPECT_FALSE(node->get_clock()->ros_time_is_active());
}

TEST(TimeSourceTest, ANodeThatGoesAtOnceTakesItsClockThreadAlong) {
  const auto context = quiet_context();
  const Simulator simulator(context);
  for (int i = 0; i < 100; ++i) simulated_node(context).reset();
  EXPECT_EQ(simulator.publisher->get_subscription_count(), 0U);
}

/// A receiver that the test itself feeds and watches.
struct WatchedTime {
  void watch_for(Duration wall) {
    for (; wall > 0s; wall -= 100ms) {
      clock->advance(100ms);
      receiver.watch();
    }
  }

  std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>();
  std::shared_ptr<RosTime> time = std::make_shared<RosTime>(clock);
  ClockReceiver receiver{clock};
};

TEST(ClockReceiverTest, TimeStandsAfterASilenceButNotBecauseTheListenerItselfWasStopped) {
  WatchedTime watched;
  watched.time->set_active(true);
  watched.receiver.feed(watched.time, "/node");
  watched.receiver.received(5, 0, {});
  watched.watch_for(1s);
  watched.clock->advance(5s);  // nobody looks: the process was stopped
  watched.receiver.watch();
  EXPECT_FALSE(watched.time->state().stands) << "who did not listen cannot say that nobody spoke";
  watched.watch_for(1900ms);
  EXPECT_FALSE(watched.time->state().stands);
  watched.watch_for(200ms);
  EXPECT_TRUE(watched.time->state().stands);
  watched.receiver.received(6, 0, {});
  EXPECT_FALSE(watched.time->state().stands);
}

TEST(ClockReceiverTest, ALateJoinerOfASilentClockIsToldOnceThatNoneComes) {
  LogLines log;
  WatchedTime watched;
  watched.time->set_active(true);
  watched.receiver.feed(watched.time, "/first");
  watched.receiver.received(5, 0, {});
  watched.watch_for(20s);
  EXPECT_FALSE(log.says("no /clock received")) << "it has heard one";
  for (const auto* name : {"/late", "/later"}) {
    const auto late = std::make_shared<RosTime>(watched.clock);
    late->set_active(true);
    watched.receiver.feed(late, name);
    watched.watch_for(14900ms);
    EXPECT_FALSE(log.says(name));
    watched.watch_for(200ms);
    EXPECT_TRUE(log.says("no /clock received within 15 s: " + std::string(name)));
    EXPECT_FALSE(watched.receiver.watch()) << "nothing is left to say";
  }
  EXPECT_FALSE(log.says("/first"));
}

TEST(ClockReceiverTest, SeveralThatWaitForTheFirstSampleAreToldTogether) {
  LogLines log;
  WatchedTime watched;
  watched.time->set_active(true);
  watched.receiver.feed(watched.time, "/first");
  watched.watch_for(5s);
  watched.receiver.feed(watched.time, "/second");
  watched.watch_for(30s);
  EXPECT_TRUE(log.says("within 15 s: /first and all other nodes"));
  EXPECT_FALSE(log.says("/second"));
}

}  // namespace
}  // namespace takt::testing
