// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "takt/graph/topic_test_support.hpp"

namespace takt {
namespace {

using testing::Sample;
using testing::TopicRun;

QoS latched(std::size_t depth) { return QoS(depth).transient_local(); }

struct TransientLocal : ::testing::Test {
  TopicRun run;
  std::vector<int> got;

  Subscription<Sample>::SharedPtr listen(const QoS& qos, const SubscriptionOptions& options = {}) {
    return run.subscription(
        qos, [this](const Sample& m) { got.push_back(m.value); }, options);
  }
};

TEST_F(TransientLocal, a_late_subscription_gets_the_last_messages_and_goes_on) {
  const auto publisher = run.publisher(latched(3));
  for (int i = 1; i <= 5; ++i) publisher->publish(Sample{i});
  const auto subscription = listen(latched(10));
  publisher->publish(Sample{6});
  run.spin();
  EXPECT_EQ(got, (std::vector{3, 4, 5, 6}));
  EXPECT_EQ(subscription->counters().received, 4U);
  EXPECT_EQ(publisher->counters().delivered, 4U);
}

TEST_F(TransientLocal, keep_last_bounds_what_is_retained_and_what_is_sent_together) {
  const auto publisher = run.publisher(latched(5));
  for (int i = 1; i <= 5; ++i) publisher->publish(Sample{i});
  const auto subscription = listen(latched(2));
  publisher->publish(Sample{6});
  run.spin();
  EXPECT_EQ(got, (std::vector{5, 6})) << "never an older one after the newest";
  EXPECT_EQ(subscription->counters().overwritten, 1U);
  EXPECT_EQ(publisher->counters().overwritten, 1U);
}

TEST_F(TransientLocal, a_volatile_subscription_gets_only_what_is_sent_from_now_on) {
  const auto publisher = run.publisher(latched(3));
  publisher->publish(Sample{1});
  const auto subscription = listen(3);
  publisher->publish(Sample{2});
  run.spin();
  EXPECT_EQ(got, (std::vector{2}));
  EXPECT_EQ(subscription->counters().received, 1U) << "what was sent before the match is not counted as lost";
}

TEST_F(TransientLocal, several_publishers_in_order_of_time) {
  const auto a = run.publisher(latched(2));
  const auto b = run.publisher(latched(2));
  for (int i = 1; i <= 3; ++i) {
    a->publish(Sample{i});
    run.clock->advance(std::chrono::milliseconds{1});
    b->publish(Sample{10 * i});
    run.clock->advance(std::chrono::milliseconds{1});
  }
  const auto subscription = listen(latched(10));
  run.spin();
  EXPECT_EQ(got, (std::vector{2, 20, 3, 30}));
}

TEST_F(TransientLocal, a_retained_message_is_released_when_its_taker_joins) {
  const auto publisher = run.publisher(latched(1));
  publisher->publish(Sample{1});
  run.clock->advance(std::chrono::hours{1});
  MessageInfo seen;
  const auto subscription =
      run.subscription(latched(1), [&](const Sample&, const MessageInfo& info) { seen = info; },
                       {.deadline = std::chrono::milliseconds{10}});
  run.spin();
  EXPECT_EQ(seen.published, run.start);
  EXPECT_EQ(seen.received - seen.published, std::chrono::hours{1});
  const auto verdict = run.context->monitor().verdict(subscription->section());
  EXPECT_EQ(verdict.lateness.max, Duration::zero());
  EXPECT_EQ(verdict.misses, 0U);
}

// rclcpp#752: intra-process with keep all, transient local and a unique_ptr is honoured.
TEST_F(TransientLocal, keep_all_and_a_taker_of_unique_pointers) {
  const auto qos = QoS(KeepAll{8}).transient_local();
  const auto publisher = run.publisher(qos);
  for (int i = 1; i <= 3; ++i) publisher->publish(std::make_unique<Sample>(Sample{i}));
  const auto subscription =
      run.subscription(qos, [this](std::unique_ptr<Sample> m) { got.push_back(m->value); });
  publisher->publish(std::make_unique<Sample>(Sample{4}));
  run.spin();
  EXPECT_EQ(got, (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(publisher->counters().copies, 4U) << "the originals are retained";
}

// rclcpp#2303, #912: a taker of unique_ptr beside others costs a copy, which is counted; its content is its
// own.
TEST_F(TransientLocal, an_owner_cannot_change_what_others_read) {
  const auto publisher = run.publisher(latched(1));
  const auto owner = run.subscription(latched(1), [](std::unique_ptr<Sample> m) { m->value = -1; });
  const auto reader = listen(latched(1));
  publisher->publish(std::make_unique<Sample>(Sample{7}));
  run.spin();
  const auto late = listen(latched(1));
  run.spin();
  EXPECT_EQ(got, (std::vector{7, 7}));
  EXPECT_EQ(publisher->counters().copies, 1U);
}

TEST_F(TransientLocal, loans_are_retained_without_copies) {
  const auto publisher = run.publisher(latched(2), {.loans = 3});
  for (int i = 1; i <= 10; ++i) {
    auto loan = publisher->borrow();
    ASSERT_TRUE(loan);
    loan->value = i;
    publisher->publish(std::move(loan));
  }
  const auto subscription = listen(latched(2));
  run.spin();
  EXPECT_EQ(got, (std::vector{9, 10}));
  EXPECT_EQ(publisher->counters().copies, 0U);
}

TEST_F(TransientLocal, a_polling_subscription_gets_them_too) {
  const auto publisher = run.publisher(latched(2));
  publisher->publish(Sample{3});
  const auto polled = run.subscription(latched(2), nullptr);
  Sample sample;
  MessageInfo info;
  ASSERT_TRUE(polled->take(sample, info));
  EXPECT_EQ(sample.value, 3);
  EXPECT_EQ(info.sequence, 1U);
}

}  // namespace
}  // namespace takt
