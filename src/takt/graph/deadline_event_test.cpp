// SPDX-License-Identifier: Apache-2.0
// Deadline events within a process, on a virtual clock: exact.
#include "takt/graph/deadline_event.hpp"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <vector>

#include "takt/core/testing/no_allocation.hpp"
#include "takt/graph/topic_test_support.hpp"

namespace takt {
namespace {

using std::chrono::milliseconds;
using testing::Sample;
using testing::TopicRun;

struct Counts {
  std::int64_t total, change;
  milliseconds at;
  bool operator==(const Counts&) const = default;
};
void PrintTo(const Counts& c, std::ostream* out) {
  *out << "{" << c.total << ", +" << c.change << ", " << c.at.count() << " ms}";
}

struct DeadlineEventTest : ::testing::Test {
  TopicRun run;
  std::vector<Counts> requested, offered;

  void SetUp() override { run.spin(); }  // the first spin begins

  template <class Info>
  auto into(std::vector<Counts>& events) {
    return [this, &events](Info& info) {
      const auto at = std::chrono::duration_cast<milliseconds>(run.elapsed());
      events.push_back({info.total_count, info.total_count_change, at});
    };
  }
  Subscription<Sample>::SharedPtr subscription(int deadline_ms) {
    SubscriptionOptions options;
    options.event_callbacks.deadline_callback = into<QOSDeadlineRequestedInfo>(requested);
    return run.subscription(
        QoS(10).deadline(milliseconds{deadline_ms}), [](const Sample&) {}, options);
  }
  Publisher<Sample>::SharedPtr publisher(int deadline_ms) {
    PublisherOptions options;
    options.callback_group = run.group;
    options.event_callbacks.deadline_callback = into<QOSDeadlineOfferedInfo>(offered);
    return run.publisher(QoS(10).deadline(milliseconds{deadline_ms}), options);
  }
  Publisher<Sample>::SharedPtr silent_publisher(int deadline_ms) {
    return run.publisher(QoS(10).deadline(milliseconds{deadline_ms}));
  }
  /// Time passes, and the executor looks whenever something is due.
  void pass(int ms) {
    std::promise<void> never;
    auto future = never.get_future();
    run.executor.spin_until_future_complete(future, milliseconds{ms});
  }
  void say_after(const Publisher<Sample>::SharedPtr& publisher, std::initializer_list<int> gaps_ms) {
    for (const int gap : gaps_ms) {
      pass(gap);
      publisher->publish(Sample{});
    }
    run.spin();
  }
};

TEST_F(DeadlineEventTest, OneGapBeyondTheDeadlineIsOneEvent) {
  const auto p = silent_publisher(15);
  const auto s = subscription(15);
  say_after(p, {8, 8, 8, 8, 25, 8, 8, 9, 9, 9});
  EXPECT_EQ(requested, (std::vector<Counts>{{1, 1, milliseconds{47}}}));
}

TEST_F(DeadlineEventTest, NoGapBeyondTheDeadlineIsNoEvent) {
  const auto p = publisher(30);
  const auto s = subscription(30);
  say_after(p, {8, 8, 8, 8, 25, 8, 8, 9, 9, 9});
  EXPECT_TRUE(requested.empty());
  EXPECT_TRUE(offered.empty());
}

TEST_F(DeadlineEventTest, AMessageAtTheDeadlineIsInTime) {
  const auto p = publisher(10);
  const auto s = subscription(10);
  say_after(p, {10, 10, 10});
  EXPECT_TRUE(requested.empty());
  EXPECT_TRUE(offered.empty());
}

TEST_F(DeadlineEventTest, ASilenceThatLastsIsCountedOncePerPeriod) {
  const auto p = publisher(10);
  const auto s = subscription(20);
  say_after(p, {5});
  pass(50);
  EXPECT_EQ(offered, (std::vector<Counts>{{1, 1, milliseconds{15}},
                                          {2, 1, milliseconds{25}},
                                          {3, 1, milliseconds{35}},
                                          {4, 1, milliseconds{45}}}));
  EXPECT_EQ(requested, (std::vector<Counts>{{1, 1, milliseconds{25}}, {2, 1, milliseconds{45}}}));
}

TEST_F(DeadlineEventTest, AnExecutorThatWasBusyHearsOfAllPeriodsAtOnceAlsoWhenTheSilenceHasEnded) {
  const auto p = publisher(10);
  const auto s = subscription(10);
  run.clock->advance(milliseconds{35});
  p->publish(Sample{});
  run.clock->advance(milliseconds{2});
  run.spin();
  EXPECT_EQ(requested, (std::vector<Counts>{{3, 3, milliseconds{37}}}));
  EXPECT_EQ(offered, (std::vector<Counts>{{3, 3, milliseconds{37}}}));
}

TEST_F(DeadlineEventTest, ALateCallbackIsNoSilence) {
  int taken = 0;
  SubscriptionOptions options;
  options.event_callbacks.deadline_callback = into<QOSDeadlineRequestedInfo>(requested);
  const auto p = silent_publisher(10);
  const auto s = run.subscription(
      QoS(10).deadline(milliseconds{10}), [&](const Sample&) { ++taken; }, options);
  for (int i = 0; i < 5; ++i) {
    run.clock->advance(milliseconds{9});  // nobody spins
    p->publish(Sample{});
  }
  run.spin();
  EXPECT_EQ(taken, 5);
  EXPECT_TRUE(requested.empty());
}

TEST_F(DeadlineEventTest, ASubscriptionCountsFromItsFirstMatchAndGoesOnWhenThePublisherIsGone) {
  const auto s = subscription(10);
  const auto stranger = silent_publisher(50);
  pass(100);
  EXPECT_EQ(s->incompatible(), 1U);
  EXPECT_TRUE(requested.empty()) << "one that does not match promises nothing";
  auto p = silent_publisher(10);
  pass(11);
  EXPECT_EQ(requested.size(), 1U);
  p.reset();
  pass(20);
  EXPECT_EQ(requested.size(), 3U);
}

TEST_F(DeadlineEventTest, APublisherCountsFromItsCreationWhoeverListens) {
  const auto p = publisher(10);
  pass(25);
  EXPECT_EQ(offered.size(), 2U);
  EXPECT_EQ(p->get_subscription_count(), 0U);
}

TEST_F(DeadlineEventTest, WhatPassedBeforeTheSpinBeganIsNotCounted) {
  TopicRun other;
  int events = 0;
  PublisherOptions options;
  options.callback_group = other.group;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineOfferedInfo&) { ++events; };
  const auto p = other.publisher(QoS(1).deadline(milliseconds{10}), options);
  other.clock->advance(milliseconds{100});
  other.executor.spin_some();
  EXPECT_EQ(events, 0);
  other.clock->advance(milliseconds{11});
  other.executor.spin_some();
  EXPECT_EQ(events, 1);
}

TEST_F(DeadlineEventTest, NothingIsWatchedWithoutDeadlineOrCallback) {
  PublisherOptions of_publisher;
  of_publisher.callback_group = run.group;
  of_publisher.event_callbacks.deadline_callback = into<QOSDeadlineOfferedInfo>(offered);
  SubscriptionOptions of_subscription;
  of_subscription.event_callbacks.deadline_callback = into<QOSDeadlineRequestedInfo>(requested);
  const auto p = run.publisher(10, of_publisher);
  const auto s = run.subscription(
      10, [](const Sample&) {}, of_subscription);
  const auto q = silent_publisher(10);
  EXPECT_EQ(run.context->monitor().find("listener/topic requested deadline"), nullptr);
  EXPECT_EQ(run.context->monitor().find("talker/topic offered deadline"), nullptr);
  pass(100);
  EXPECT_TRUE(requested.empty());
  EXPECT_TRUE(offered.empty());
}

TEST_F(DeadlineEventTest, AnEventIsInTheVerdictsOnceItRanAndIsNotJudged) {
  const auto p = publisher(10);
  const auto s = subscription(10);
  const auto kinds = [&] {
    std::vector<std::string> names;
    for (const auto& verdict : run.context->verdicts()) {
      if (verdict.kind == timing::SectionKind::event) names.push_back(verdict.node + "/" + verdict.name);
    }
    return names;
  };
  EXPECT_TRUE(kinds().empty());
  pass(12);
  EXPECT_EQ(kinds(),
            (std::vector<std::string>{"talker/topic offered deadline", "listener/topic requested deadline"}));
  const auto* section = run.context->monitor().find("listener/topic requested deadline");
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(run.context->monitor().verdict(*section).judgement, timing::Judgement::not_judged);
}

TEST_F(DeadlineEventTest, NoEventComesAfterItsSubscriptionIsGoneAlsoWhenItWasDue) {
  const auto p = silent_publisher(10);
  auto s = subscription(10);
  run.clock->advance(milliseconds{50});  // due, but not run yet
  s.reset();
  pass(50);
  EXPECT_TRUE(requested.empty());
}

TEST_F(DeadlineEventTest, AnEventMayDropItsOwnSubscriptionAndPublisher) {
  Publisher<Sample>::SharedPtr p;
  Subscription<Sample>::SharedPtr s;
  int events = 0;
  SubscriptionOptions of_subscription;
  of_subscription.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo&) {
    s.reset();
    ++events;
  };
  PublisherOptions of_publisher;
  of_publisher.callback_group = run.group;
  of_publisher.event_callbacks.deadline_callback = [&](QOSDeadlineOfferedInfo&) {
    p.reset();
    ++events;
  };
  const auto qos = QoS(10).deadline(milliseconds{10});
  p = run.publisher(qos, of_publisher);
  s = run.subscription(
      qos, [](const Sample&) {}, of_subscription);
  pass(50);
  EXPECT_EQ(events, 2);
}

TEST_F(DeadlineEventTest, AnExceptionOfAnEventEndsTheSpinAndTheCountGoesOn) {
  const auto p = silent_publisher(10);
  std::vector<std::int64_t> totals;
  SubscriptionOptions options;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo& info) {
    totals.push_back(info.total_count);
    if (totals.size() == 1) throw std::runtime_error("silent");
  };
  const auto s = run.subscription(QoS(10).deadline(milliseconds{10}), nullptr, options);
  EXPECT_THROW(pass(25), std::runtime_error);
  pass(25);
  EXPECT_EQ(totals, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(DeadlineEventTest, MessagesAndEventsUseNoHeap) {
  int events = 0;
  SubscriptionOptions options;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo&) { ++events; };
  const auto p = silent_publisher(10);
  const auto s = run.subscription(
      QoS(10).deadline(milliseconds{10}), [](const Sample&) {}, options);
  run.clock->advance(milliseconds{20});
  run.executor.spin_some();  // its recorder is made
  const testing::NoAllocation guard;
  for (int i = 0; i < 3; ++i) {
    p->publish(p->borrow());
    run.clock->advance(milliseconds{20});
    run.executor.spin_some();
  }
  EXPECT_EQ(events, 4);
}

TEST_F(DeadlineEventTest, ANodeGivesThePublisherItsDefaultGroup) {
  const auto node = run.node();
  int events = 0;
  PublisherOptions options;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineOfferedInfo&) { ++events; };
  const auto p = node->create_publisher<Sample>("other", QoS(1).deadline(milliseconds{10}), options);
  run.executor.add_node(node);
  pass(11);
  EXPECT_EQ(events, 1);
  run.executor.remove_node(node);
  pass(50);
  EXPECT_EQ(events, 1) << "an executor runs it, or nobody";
}

}  // namespace
}  // namespace takt
