// SPDX-License-Identifier: Apache-2.0
// On real time, with subscribers in another context, over shared memory.
#include "takt/sim/clock_server.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <mutex>
#include <set>

#include "takt/core/testing/no_allocation.hpp"
#include "takt/graph/host_test_support.hpp"
#include "takt/sim/clock_messages.hpp"
#include "takt/sim/rivals.hpp"

namespace takt::sim {
namespace {

using namespace std::chrono_literals;
using rosgraph_msgs::msg::Clock;
using takt::testing::comes_true;
using takt::testing::host_context;
using takt::testing::host_node;
using takt::testing::Spinning;
using takt_msgs::msg::ClockReply;
using takt_msgs::msg::ClockRequest;
using takt_msgs::msg::ClockStatistics;
using ::testing::HasSubstr;
using Kind = ClockCommand::Kind;

class ClockServerTest : public ::testing::Test {
 protected:
  std::unique_ptr<ClockServer> server(ClockServerOptions options = {}) const {
    return std::make_unique<ClockServer>(host_context(folder_.base()), std::move(options));
  }

  shm::DiscoveryFolder folder_;
  Context::SharedPtr context_ = host_context(folder_.base());
  Node::SharedPtr node_ = host_node(context_, "listener");
};

/// What a subscriber saw, in order.
class Listener {
 public:
  Listener(const Node::SharedPtr& node, const QoS& qos, const std::string& topic = "/clock")
      : subscription_(node->create_subscription<Clock>(topic, qos, [this](const Clock& message) {
          const std::lock_guard lock(mutex_);
          times_.push_back(from_message(message.clock).value());
        })) {}
  std::vector<ClockTime> times() const {
    const std::lock_guard lock(mutex_);
    return times_;
  }
  ClockTime last() const {
    const std::lock_guard lock(mutex_);
    return times_.empty() ? ClockTime{} : times_.back();
  }
  std::size_t count() const { return times().size(); }

 private:
  mutable std::mutex mutex_;
  std::vector<ClockTime> times_;
  Subscription<Clock>::SharedPtr subscription_;
};

TEST_F(ClockServerTest, BestEffortAndReliableSubscribersSeeTimeGoOn) {
  const Listener best_effort(node_, ClockQoS());
  const Listener reliable(node_, QoS(10).reliable());
  const Spinning spinning(node_);
  const auto clock = server();
  ASSERT_TRUE(comes_true([&] { return best_effort.last() > ClockTime{1100ms}; }));
  ASSERT_TRUE(comes_true([&] { return reliable.last() > ClockTime{1100ms}; }));
  const auto times = reliable.times();
  EXPECT_TRUE(std::ranges::is_sorted(times));
  for (const auto time : times) EXPECT_EQ(time.time_since_epoch() % 1ms, 0ns);
}

TEST_F(ClockServerTest, ItKeepsTheFactorThatIsAskedFor) {
  const auto clock = server({.world = {.rtf = 0.25}});
  ASSERT_TRUE(comes_true([&] { return clock->status().factors.windows >= 3; }));
  const auto status = clock->status();
  EXPECT_EQ(status.target_rtf, 0.25);
  EXPECT_LT(status.factors.since_start, 0.28);  // never faster
  EXPECT_GT(status.factors.since_start, 0);
  EXPECT_LE(status.factors.window_min, status.factors.window_max);
  EXPECT_GT(status.factors.gazebo, 0);
}

TEST_F(ClockServerTest, WhilePausedTheSampleIsRepeatedUnchanged) {
  const Listener listener(node_, QoS(10));
  const Spinning spinning(node_);
  const auto clock = server({.world = {.start = ClockTime{7s}, .paused = true}});
  ASSERT_TRUE(comes_true([&] { return listener.count() >= 50; }));
  const auto times = listener.times();
  EXPECT_EQ(std::set(times.begin(), times.end()), std::set{ClockTime{7s}});
}

TEST_F(ClockServerTest, CommandsPauseStepRunToResumeAndReset) {
  const auto clock = server();
  EXPECT_EQ(clock->command({Kind::step, 1, {}, 0}).refusal, Refusal::not_paused);
  const auto paused = clock->command({Kind::pause, 0, {}, 0});
  EXPECT_EQ(paused.status.state, WorldState::paused);
  const auto from = paused.status.sim_time;
  EXPECT_EQ(clock->command({Kind::step, 5, {}, 0}).refusal, Refusal::none);
  ASSERT_TRUE(comes_true([&] { return clock->status().state == WorldState::paused; }));
  EXPECT_EQ(clock->status().sim_time, from + 5ms);
  EXPECT_EQ(clock->command({Kind::run_to, 0, from, 0}).refusal, Refusal::in_the_past);
  EXPECT_EQ(clock->command({Kind::run_to, 0, from + 20ms, 0}).refusal, Refusal::none);
  ASSERT_TRUE(comes_true([&] { return clock->status().state == WorldState::paused; }));
  EXPECT_EQ(clock->status().sim_time, from + 20ms);
  clock->command({Kind::resume, 0, {}, 0});
  ASSERT_TRUE(comes_true([&] { return clock->status().sim_time > from + 30ms; }));
  const auto reset = clock->command({Kind::reset, 0, {}, 0});
  EXPECT_EQ(reset.status.sim_time, ClockTime{1s});
  EXPECT_EQ(reset.status.state, WorldState::running);
  EXPECT_TRUE(std::isnan(reset.status.factors.since_start));
}

TEST_F(ClockServerTest, ACommandActsAtOnceHoweverLongTheWallStepIs) {
  const auto clock = server({.world = {.rtf = 1e-6}});  // one iteration every 1000 s
  EXPECT_EQ(clock->command({Kind::pause, 0, {}, 0}).status.state, WorldState::paused);
  clock->command({Kind::resume, 0, {}, 0});
  clock->command({Kind::set_rtf, 0, {}, 1});
  EXPECT_TRUE(comes_true([&] { return clock->status().sim_time >= ClockTime{1s + 5ms}; }));
}

TEST_F(ClockServerTest, GarbageIsRefusedAndNothingChanges) {
  const auto clock = server({.world = {.paused = true}});
  EXPECT_EQ(clock->command({static_cast<Kind>(99), 0, {}, 0}).refusal, Refusal::unknown_command);
  EXPECT_EQ(clock->command({Kind::step, UINT64_MAX, {}, 0}).refusal, Refusal::bad_steps);
  EXPECT_EQ(clock->command({Kind::run_to, 0, ClockTime::min(), 0}).refusal, Refusal::in_the_past);
  EXPECT_EQ(clock->command({Kind::run_to, 0, ClockTime::max(), 0}).refusal, Refusal::bad_time);
  for (const double rtf : {std::nan(""), -1.0, 1e300})
    EXPECT_EQ(clock->command({Kind::set_rtf, 0, {}, rtf}).refusal, Refusal::bad_factor);
  const auto status = clock->status();
  EXPECT_EQ(status.state, WorldState::paused);
  EXPECT_EQ(status.sim_time, ClockTime{1s});
  EXPECT_EQ(status.target_rtf, 1);
}

TEST_F(ClockServerTest, TooManyDifferentFactorsAreRefused) {
  const auto clock = server({.world = {.paused = true}});
  int accepted = 0;
  while (clock->command({Kind::set_rtf, 0, {}, 1.0 / (2 + accepted)}).refusal == Refusal::none) ++accepted;
  EXPECT_EQ(accepted, static_cast<int>(TickSections::kMost) - 1);
  EXPECT_EQ(clock->command({Kind::set_rtf, 0, {}, 1e-6}).refusal, Refusal::too_many_factors);
  EXPECT_EQ(clock->command({Kind::set_rtf, 0, {}, 1}).refusal, Refusal::none);  // it had that
}

TEST_F(ClockServerTest, RequestsAreAnsweredWithTheirId) {
  const auto clock = server({.world = {.paused = true}});
  std::mutex mutex;
  std::vector<ClockReply> replies;
  const auto subscription =
      node_->create_subscription<ClockReply>("/clock/reply", 64, [&](const ClockReply& reply) {
        const std::lock_guard lock(mutex);
        replies.push_back(reply);
      });
  const auto publisher = node_->create_publisher<ClockRequest>("/clock/request", 64);
  const Spinning spinning(node_);
  ASSERT_TRUE(comes_true(
      [&] { return publisher->get_subscription_count() == 1 && subscription->get_publisher_count() == 1; }));
  publisher->publish(to_message({Kind::step, 2, {}, 0}, 77));
  ClockRequest garbage;
  garbage.id = 78;
  garbage.command = 200;
  publisher->publish(garbage);
  ASSERT_TRUE(comes_true([&] {
    const std::lock_guard lock(mutex);
    return replies.size() == 2;
  }));
  EXPECT_EQ(replies[0].id, 77U);
  EXPECT_TRUE(replies[0].accepted);
  EXPECT_EQ(replies[1].id, 78U);
  EXPECT_FALSE(replies[1].accepted);
  EXPECT_THAT(replies[1].text, HasSubstr("no command 200"));
}

TEST_F(ClockServerTest, StatisticsComeTenTimesASecondAndTheFactorWithEveryIteration) {
  std::mutex mutex;
  std::vector<ClockStatistics> statistics;
  std::atomic<int> factors{0};
  const auto heard =
      node_->create_subscription<ClockStatistics>("/clock/statistics", 10, [&](const ClockStatistics& one) {
        const std::lock_guard lock(mutex);
        statistics.push_back(one);
      });
  const auto numbers = node_->create_subscription<std_msgs::msg::Float32>(
      "/rtf", 10, [&](const std_msgs::msg::Float32&) { ++factors; });
  const Spinning spinning(node_);
  const auto clock = server({.rtf_topic = "/rtf"});
  ASSERT_TRUE(comes_true([&] {
    const std::lock_guard lock(mutex);
    return statistics.size() >= 4 && factors > 50;
  }));
  const std::lock_guard lock(mutex);
  for (std::size_t i = 1; i < statistics.size(); ++i) {
    EXPECT_GE(statistics[i].monotonic_ns - statistics[i - 1].monotonic_ns, 100'000'000);
    EXPECT_GT(statistics[i].iterations, statistics[i - 1].iterations);
  }
  EXPECT_EQ(statistics.back().window_s, 0.1);
  EXPECT_FALSE(statistics.back().paused);
}

TEST_F(ClockServerTest, EachIterationIsJudgedAgainstTheWallStep) {
  const auto clock = server({.world = {.rtf = 0.1}});
  ASSERT_TRUE(comes_true([&] { return clock->status().iterations >= 20; }));
  clock->stop();
  const auto verdicts = clock->verdicts();
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].node + "/" + verdicts[0].name, "clock/tick");
  EXPECT_EQ(verdicts[0].deadline, 10ms);
  EXPECT_EQ(verdicts[0].activations, clock->status().iterations);
  EXPECT_EQ(verdicts[0].granted.name, "clock");
}

TEST_F(ClockServerTest, AnotherFactorIsJudgedByItself) {
  const auto clock = server({.world = {.rtf = 0.5}});
  ASSERT_TRUE(comes_true([&] { return clock->status().iterations >= 10; }));
  clock->command({Kind::set_rtf, 0, {}, 2});
  const auto changed_at = clock->status().iterations;
  ASSERT_TRUE(comes_true([&] { return clock->status().iterations >= changed_at + 20; }));
  clock->stop();
  const auto verdicts = clock->verdicts();
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].deadline, 2ms);
  EXPECT_EQ(verdicts[1].deadline, 500us);
  EXPECT_EQ(verdicts[0].activations + verdicts[1].activations, clock->status().iterations);
}

TEST_F(ClockServerTest, FlatOutItIsFasterThanTimeIsNotJudgedAndRestsWhilePaused) {
  const auto clock = server({.world = {.rtf = 0}});
  ASSERT_TRUE(comes_true([&] { return clock->status().factors.windows >= 2; }));
  EXPECT_GT(clock->status().factors.since_start, 1);
  clock->command({Kind::pause, 0, {}, 0});
  const auto before = clock->status();
  ASSERT_TRUE(comes_true([&] { return clock->status().at >= before.at + 100ms; }));
  const auto after = clock->status();
  EXPECT_LE(after.iterations - before.iterations,
            static_cast<std::uint64_t>((after.at - before.at) / 1ms) + 3);
  EXPECT_TRUE(clock->verdicts().empty());
}

TEST_F(ClockServerTest, FlatOutAStepIsDoneAtOnceHoweverLongItIs) {
  const auto clock = server({.world = {.step = 1h, .rtf = 0, .paused = true}});
  ASSERT_TRUE(comes_true([&] { return clock->status().iterations >= 2; }));  // it repeats its sample
  clock->command({Kind::step, 3, {}, 0});
  EXPECT_TRUE(comes_true([&] { return clock->status().sim_time == ClockTime{1s + 3h}; }));
}

TEST_F(ClockServerTest, ASecondSourceOfTimeIsRefusedByNameUnlessForced) {
  const auto first = server();
  try {
    server();
    FAIL() << "was not refused";
  } catch (const RivalError& error) {
    EXPECT_THAT(error.problem(), HasSubstr("/clock has a source of time already: /clock (process "));
    EXPECT_THAT(error.what(), HasSubstr("ClockServerOptions::force"));
  }
  EXPECT_NO_THROW(server({.force = true}));
  EXPECT_NO_THROW(server({.topic = "/other/clock"}));
}

TEST_F(ClockServerTest, AnyPublisherOfTheTopicIsASourceOfTime) {
  const auto simulator = host_node(context_, "gazebo");
  const auto publisher = simulator->create_publisher<Clock>("/clock", 10);
  try {
    server();
    FAIL() << "was not refused";
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/gazebo (process "));
  }
}

TEST_F(ClockServerTest, OneThatHasEndedIsNoRival) {
  for (int i = 0; i < 3; ++i) {
    const auto clock = server();
    EXPECT_EQ(clock->status().state, WorldState::running);
  }
}

TEST_F(ClockServerTest, AReaderThatIsStuckBlocksNothing) {
  const auto subscription = node_->create_subscription<Clock>("/clock", 10, nullptr);  // takes nothing
  const auto clock = server({.world = {.rtf = 10}});
  ASSERT_TRUE(comes_true([&] { return subscription->get_publisher_count() == 1; }));
  const auto before = clock->status().iterations;
  EXPECT_TRUE(comes_true([&] { return clock->status().iterations >= before + 200; }));
}

TEST_F(ClockServerTest, AfterItsEndCommandsAreRefusedAndTheStatusStays) {
  const auto clock = server();
  ASSERT_TRUE(comes_true([&] { return clock->status().iterations >= 10; }));
  clock->stop();
  const auto status = clock->status();
  EXPECT_GE(status.iterations, 10U);
  const auto outcome = clock->command({Kind::pause, 0, {}, 0});
  EXPECT_EQ(outcome.refusal, Refusal::stopped);
  EXPECT_EQ(outcome.status.iterations, status.iterations);
}

TEST_F(ClockServerTest, ARealTimeThreadDoesNotRunFlatOut) {
  if (!real_time_permission().granted) GTEST_SKIP() << "no real-time scheduling here";
  EXPECT_THROW(server({.world = {.rtf = 0}, .scheduling = Fifo{10}}), SetupError);
  const auto clock = server({.scheduling = Fifo{10}});
  EXPECT_EQ(priority_of(clock->granted().scheduling), 10);
  EXPECT_EQ(clock->command({Kind::set_rtf, 0, {}, 0}).refusal, Refusal::flat_out_real_time);
}

TEST_F(ClockServerTest, OptionsThatCannotBeAreRefused) {
  EXPECT_THROW(server({.world = {.step = 0ms}}), SetupError);
  EXPECT_THROW(server({.cpus = {4711}}), SetupError);
  EXPECT_THROW(server({.topic = "no topic"}), SetupError);
}

TEST_F(ClockServerTest, AnIterationIsPublishedWithoutTheHeap) {
  const Listener listener(node_, ClockQoS());
  const Spinning spinning(node_);
  const auto talker = host_node(host_context(folder_.base()), "talker");
  ClockOutputs outputs(*talker, "/clock", "/rtf");
  outputs.publish_time(ClockTime{1s});
  ASSERT_TRUE(comes_true([&] {
    outputs.publish_time(ClockTime{1s});
    return listener.count() > 0;
  }));
  {
    const takt::testing::NoAllocation guard;
    for (int i = 0; i < 100; ++i) {
      outputs.publish_time(ClockTime{2s});
      outputs.publish_factor(1);
      outputs.publish_statistics({});
    }
  }
  EXPECT_TRUE(comes_true([&] { return listener.last() == ClockTime{2s}; }));
}

}  // namespace
}  // namespace takt::sim
