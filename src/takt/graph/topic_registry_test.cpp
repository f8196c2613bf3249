// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/topic_registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "std_msgs/msg/int32.hpp"
#include "std_msgs/msg/string.hpp"
#include "takt/core/log.hpp"
#include "takt/graph/topic_test_support.hpp"

namespace takt {
namespace {

using std_msgs::msg::Int32;
using std_msgs::msg::String;
using ::testing::HasSubstr;
using testing::Sample;
using testing::TopicRun;

TEST(TopicRegistry, matches_both_ends_in_any_order_and_lets_go) {
  TopicRun run;
  auto early = run.subscription(10, [](const Sample&) {});
  auto publisher = run.publisher();
  auto late = run.subscription(10, [](const Sample&) {});
  const auto elsewhere = run.subscription(
      10, [](const Sample&) {}, {}, "/other");
  EXPECT_EQ(publisher->get_subscription_count(), 2U);
  EXPECT_EQ(early->get_publisher_count(), 1U);
  EXPECT_EQ(late->get_publisher_count(), 1U);
  EXPECT_EQ(elsewhere->get_publisher_count(), 0U);
  late.reset();
  EXPECT_EQ(publisher->get_subscription_count(), 1U);
  EXPECT_EQ(publisher->publish(Sample{}).delivered, 1U);
  publisher.reset();
  EXPECT_EQ(early->get_publisher_count(), 0U);
}

// realtime_tools#308: the first message right after both ends were made is not lost.
TEST(TopicRegistry, the_first_message_arrives) {
  TopicRun run;
  int got = 0;
  const auto publisher = run.publisher();
  const auto subscription = run.subscription(10, [&](const Sample& m) { got = m.value; });
  EXPECT_EQ(publisher->publish(Sample{1}).delivered, 1U);
  run.spin();
  EXPECT_EQ(got, 1);
}

TEST(TopicRegistry, refuses_another_type_and_names_both_and_their_nodes) {
  TopicRun run;
  const auto publisher = run.publisher<Int32>(10, {}, "/speed", "wheel");
  try {
    run.subscription<String>(
        10, [](const String&) {}, {}, "/speed", "display");
    FAIL();
  } catch (const SetupError& e) {
    for (const char* part : {"/speed", "std_msgs/msg/Int32", "wheel", "std_msgs/msg/String", "display"}) {
      EXPECT_THAT(e.what(), HasSubstr(part));
    }
    EXPECT_FALSE(e.fix().empty());
  }
  EXPECT_THROW(run.publisher<Sample>(10, {}, "/speed"), SetupError);
  EXPECT_TRUE(run.context->verdicts().empty()) << "the refused one left a callback behind";
  EXPECT_EQ(run.context->topics().count_subscriptions("/speed"), 0U);
}

TEST(TopicRegistry, a_topic_without_ends_is_forgotten_with_its_type) {
  TopicRun run;
  run.publisher<Int32>(10, {}, "/speed");
  EXPECT_TRUE(run.context->topics().topics().empty());
  EXPECT_NO_THROW(run.publisher<String>(10, {}, "/speed"));
}

TEST(TopicRegistry, lists_topics_types_and_ends) {
  TopicRun run;
  const auto a = run.publisher<Int32>(10, {}, "/speed", "wheel");
  const auto b = run.subscription<Int32>(
      3, [](const Int32&) {}, {}, "/speed", "display");
  const auto c = run.publisher<Sample>(10, {}, "/a");
  const auto topics = run.context->topics().topics();
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0].type, "takt::testing::Sample") << "no ROS message: the C++ name";
  EXPECT_EQ(topics[1].name, "/speed");
  EXPECT_EQ(topics[1].type, "std_msgs/msg/Int32");
  ASSERT_EQ(topics[1].publishers.size(), 1U);
  EXPECT_EQ(topics[1].publishers[0].node, "wheel");
  EXPECT_EQ(topics[1].publishers[0].matched, 1U);
  EXPECT_EQ(topics[1].subscriptions.at(0).qos.depth(), 3U);
  EXPECT_EQ(run.context->topics().count_publishers("/speed"), 1U);
  EXPECT_EQ(run.context->topics().count_publishers("/none"), 0U);
}

struct Lines {
  Lines() {
    log::set_sink([](log::Level, std::string_view line,
                     void* user) { static_cast<Lines*>(user)->text += std::string(line) + "\n"; },
                  this);
  }
  ~Lines() { log::set_sink(nullptr, nullptr); }
  std::string text;
};

TEST(TopicRegistry, incompatible_ends_are_not_matched_and_the_reason_is_logged_once) {
  TopicRun run;
  Lines lines;
  int got = 0;
  auto publisher = run.publisher(QoS(10).best_effort());
  const auto subscription = run.subscription(10, [&](const Sample&) { ++got; });
  EXPECT_EQ(publisher->publish(Sample{}).delivered, 0U);
  publisher->publish(Sample{});
  run.spin();
  log::flush();
  EXPECT_EQ(got, 0);
  EXPECT_EQ(publisher->get_subscription_count(), 0U);
  EXPECT_EQ(publisher->incompatible(), 1U);
  EXPECT_EQ(subscription->incompatible(), 1U);
  const std::string reason = "the publisher is best effort, the subscription asks for reliable";
  EXPECT_THAT(lines.text, HasSubstr(reason));
  EXPECT_THAT(lines.text, HasSubstr("talker"));
  EXPECT_THAT(lines.text, HasSubstr("listener"));
  EXPECT_EQ(lines.text.find(reason), lines.text.rfind(reason));
  publisher.reset();
  EXPECT_EQ(subscription->incompatible(), 0U);
}

TEST(TopicRegistry, a_subscription_may_end_itself_in_its_callback) {
  TopicRun run;
  const auto publisher = run.publisher();
  int got = 0;
  Subscription<Sample>::SharedPtr subscription;
  subscription = run.subscription(10, [&](const Sample&) {
    ++got;
    subscription.reset();
  });
  publisher->publish(Sample{});
  publisher->publish(Sample{});
  run.spin();
  EXPECT_EQ(got, 1);
  EXPECT_EQ(publisher->get_subscription_count(), 0U);
}

TEST(TopicRegistry, what_nobody_uses_any_more_is_destroyed) {
  TopicRun run;
  const auto publisher = run.publisher();
  auto token = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = token;
  auto subscription = run.subscription(10, [token = std::move(token)](const Sample&) {});
  publisher->publish(Sample{});
  subscription.reset();
  for (int i = 0; i < 4 && !watched.expired(); ++i) run.context->house().run_now();
  for (int i = 0; i < 4 && !watched.expired(); ++i) {  // the executor's slot is swept by its own task
    run.spin();
    run.context->house().run_now();
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace takt
