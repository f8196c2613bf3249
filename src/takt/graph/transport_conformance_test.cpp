// SPDX-License-Identifier: Apache-2.0
// What every way that messages travel must keep, whatever it is made of. Each test runs within one context
// and between two that meet in shared memory as two processes do.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <geometry_msgs/msg/pose.hpp>
#include <memory>
#include <optional>
#include <sensor_msgs/msg/image.hpp>
#include <std_msgs/msg/empty.hpp>
#include <std_msgs/msg/int64.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <thread>
#include <vector>

#include "takt/core/steady_clock.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/node.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;
using Number = std_msgs::msg::Int64;
using Text = std_msgs::msg::String;

enum class Path { within_a_process, shared_memory };

Number number(std::int64_t value) {
  Number message;
  message.data = value;
  return message;
}

/// Waits a generous time for something that another thread brings about.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return condition();
}

class TransportConformance : public ::testing::TestWithParam<Path> {
 protected:
  TransportConformance() {
    if (GetParam() == Path::shared_memory) {
      std::string name = "/dev/shm/takt-conformance-XXXXXX";
      folder_ = ::mkdtemp(name.data());
    }
    talking_ = make_context();
    hearing_ = GetParam() == Path::shared_memory ? make_context() : talking_;
    talker = make_node(talking_, "talker");
    hearer = make_node(hearing_, "hearer");
  }
  ~TransportConformance() override {
    talker.reset();
    hearer.reset();
    talking_.reset();
    hearing_.reset();
    if (!folder_.empty()) {
      std::error_code ignored;
      std::filesystem::remove_all(folder_, ignored);
    }
  }

  Context::SharedPtr make_context() const {
    InitOptions options;
    options.handle_signals = false;
    options.verdict = timing::VerdictFormat::off;
    options.discovery = folder_.empty() ? DiscoveryRange::off : DiscoveryRange::localhost;
    options.shm_folder = folder_;
    options.domain_id = 7;
    return Context::make(std::move(options));
  }
  static Node::SharedPtr make_node(const Context::SharedPtr& context, const std::string& name) {
    return std::make_shared<Node>(name, NodeOptions{.context = context});
  }

  static bool matched(const auto& publisher, std::size_t subscriptions) {
    return eventually([&] { return publisher->get_subscription_count() == subscriptions; });
  }
  /// Both ends know each other.
  static bool joined(const auto& publisher, const auto& subscription) {
    return matched(publisher, 1) && eventually([&] { return subscription->get_publisher_count() == 1; });
  }
  template <class T>
  static std::vector<T> take(const typename Subscription<T>::SharedPtr& subscription, std::size_t count,
                             MessageInfo* last = nullptr) {
    std::vector<T> taken;
    T message;
    MessageInfo info;
    eventually([&] {
      while (taken.size() < count && subscription->take(message, info)) taken.push_back(message);
      return taken.size() == count;
    });
    if (last != nullptr) *last = info;
    return taken;
  }
  static std::vector<std::int64_t> take_numbers(const Subscription<Number>::SharedPtr& subscription,
                                                std::size_t count) {
    std::vector<std::int64_t> values;
    for (const auto& message : take<Number>(subscription, count)) values.push_back(message.data);
    return values;
  }
  static bool nothing_waits(const Subscription<Number>::SharedPtr& subscription) {
    Number message;
    MessageInfo info;
    return !subscription->take(message, info);
  }

  std::string folder_;
  Context::SharedPtr talking_, hearing_;
  Node::SharedPtr talker, hearer;
};

TEST_P(TransportConformance, MessagesArriveInOrderAndNumberedWithoutGaps) {
  auto publisher = talker->create_publisher<Number>("value", 100);
  auto subscription = hearer->create_subscription<Number>("value", 100, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(publisher->publish(number(i)).delivered, 1U);
  Number message;
  MessageInfo info;
  std::uint64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(eventually([&] { return subscription->take(message, info); }));
    EXPECT_EQ(message.data, i);
    if (before != 0) {
      EXPECT_EQ(info.sequence, before + 1);
    }
    before = info.sequence;
  }
  EXPECT_TRUE(nothing_waits(subscription));
}

TEST_P(TransportConformance, WhatIsOverwrittenIsCountedAtTheSubscription) {
  auto publisher = talker->create_publisher<Number>("value", 4);
  auto subscription = hearer->create_subscription<Number>("value", 4, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 10; ++i) publisher->publish(number(i));
  EXPECT_EQ(take_numbers(subscription, 4), (std::vector<std::int64_t>{6, 7, 8, 9}));
  const auto counters = subscription->counters();
  EXPECT_EQ(counters.taken, 4U);
  EXPECT_EQ(counters.overwritten + counters.lost, 6U);
  EXPECT_EQ(publisher->counters().overwritten + publisher->counters().host.lost, 6U);
}

TEST_P(TransportConformance, ASmallerDepthOfTheSubscriptionKeepsTheNewest) {
  auto publisher = talker->create_publisher<Number>("value", 10);
  auto subscription = hearer->create_subscription<Number>("value", 2, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 10; ++i) publisher->publish(number(i));
  EXPECT_EQ(take_numbers(subscription, 2), (std::vector<std::int64_t>{8, 9}));
  EXPECT_EQ(subscription->counters().overwritten + subscription->counters().lost, 8U);
}

TEST_P(TransportConformance, KeepAllRefusesWhatHasNoRoomAndSaysSo) {
  auto publisher = talker->create_publisher<Number>("value", KeepAll{3});
  auto subscription = hearer->create_subscription<Number>("value", KeepAll{3}, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(publisher->publish(number(i)).delivered, 1U);
  const auto refused = publisher->publish(number(3));
  EXPECT_EQ(refused.delivered, 0U);
  EXPECT_TRUE(refused.refused == 1 || refused.host == shm::Refusal::full);
  EXPECT_EQ(publisher->counters().refused + publisher->counters().host.refused, 1U);
  EXPECT_EQ(take_numbers(subscription, 3), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(publisher->publish(number(4)).delivered, 1U);
  EXPECT_EQ(take_numbers(subscription, 1), (std::vector<std::int64_t>{4}));
}

TEST_P(TransportConformance, ALateTransientLocalSubscriptionGetsWhatIsRetainedAndThenEachMessageOnce) {
  auto publisher = talker->create_publisher<Number>("value", QoS(3).transient_local());
  for (int i = 0; i < 5; ++i) publisher->publish(number(i));
  auto subscription = hearer->create_subscription<Number>("value", QoS(10).transient_local(), nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  publisher->publish(number(5));
  const auto got = take_numbers(subscription, GetParam() == Path::shared_memory ? 3 : 4);
  EXPECT_EQ(got.back(), 5);
  EXPECT_EQ(got.front(), GetParam() == Path::shared_memory ? 3 : 2);
  EXPECT_TRUE(nothing_waits(subscription));
}

TEST_P(TransportConformance, AVolatileSubscriptionGetsNothingThatWasSentBeforeItCame) {
  auto publisher = talker->create_publisher<Number>("value", QoS(10).transient_local());
  for (int i = 0; i < 5; ++i) publisher->publish(number(i));
  auto subscription = hearer->create_subscription<Number>("value", 10, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  publisher->publish(number(5));
  EXPECT_EQ(take_numbers(subscription, 1), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(subscription->counters().lost, 0U) << "before the match nothing is lost";
}

TEST_P(TransportConformance, EndsThatDoNotFitAreCountedAtBothAndGetNothing) {
  auto publisher = talker->create_publisher<Number>("value", QoS(10).best_effort());
  auto subscription = hearer->create_subscription<Number>("value", QoS(10).reliable(), nullptr);
  EXPECT_TRUE(eventually([&] { return publisher->incompatible() == 1; }));
  EXPECT_TRUE(eventually([&] { return subscription->incompatible() == 1; }));
  EXPECT_EQ(publisher->get_subscription_count(), 0U);
  EXPECT_EQ(publisher->publish(number(1)).delivered, 0U);
  EXPECT_TRUE(nothing_waits(subscription));
  subscription.reset();
  EXPECT_TRUE(eventually([&] { return publisher->incompatible() == 0; }));
}

TEST_P(TransportConformance, ADeadlineThatIsNotOfferedDoesNotFit) {
  auto publisher = talker->create_publisher<Number>("value", QoS(10).deadline(30ms));
  auto subscription = hearer->create_subscription<Number>("value", QoS(10).deadline(15ms), nullptr);
  auto patient = hearer->create_subscription<Number>("value", QoS(10).deadline(30ms), nullptr);
  EXPECT_TRUE(eventually([&] { return publisher->incompatible() == 1; }));
  EXPECT_TRUE(matched(publisher, 1));
}

TEST_P(TransportConformance, LeavingAndComingBackIsSeenAtTheOtherEnd) {
  auto publisher = talker->create_publisher<Number>("value", 10);
  for (int round = 0; round < 5; ++round) {
    auto subscription = hearer->create_subscription<Number>("value", 10, nullptr);
    ASSERT_TRUE(joined(publisher, subscription));
    publisher->publish(number(round));
    EXPECT_EQ(take_numbers(subscription, 1), (std::vector<std::int64_t>{round}));
    subscription.reset();
    ASSERT_TRUE(matched(publisher, 0));
  }
  publisher.reset();
  auto subscription = hearer->create_subscription<Number>("value", 10, nullptr);
  for (int round = 0; round < 5; ++round) {
    publisher = talker->create_publisher<Number>("value", 10);
    ASSERT_TRUE(joined(publisher, subscription));
    publisher->publish(number(round));
    EXPECT_EQ(take_numbers(subscription, 1), (std::vector<std::int64_t>{round}));
    publisher.reset();
    ASSERT_TRUE(eventually([&] { return subscription->get_publisher_count() == 0; }));
  }
}

TEST_P(TransportConformance, WhatWasSentBeforeThePublisherLeftIsStillDelivered) {
  auto publisher = talker->create_publisher<Number>("value", 10);
  auto subscription = hearer->create_subscription<Number>("value", 10, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 3; ++i) publisher->publish(number(i));
  publisher.reset();
  EXPECT_EQ(take_numbers(subscription, 3), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST_P(TransportConformance, APublisherThatLeavesTakesItsFileAlong) {
  if (GetParam() == Path::within_a_process) GTEST_SKIP() << "there is no file";
  auto publisher = talker->create_publisher<geometry_msgs::msg::Pose>("pose", 10);
  auto lent = publisher->borrow();
  publisher.reset();
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(folder_) / "7")) {
    EXPECT_FALSE(file.path().filename().string().starts_with("segment-")) << file;
  }
}

TEST_P(TransportConformance, EveryPublisherAndSubscriptionOfATopicIsMatched) {
  auto other_talker = make_node(talking_, "other_talker");
  auto other_hearer = make_node(hearing_, "other_hearer");
  auto a = talker->create_publisher<Number>("value", 10);
  auto b = other_talker->create_publisher<Number>("value", 10);
  auto c = hearer->create_subscription<Number>("value", 10, nullptr);
  auto d = other_hearer->create_subscription<Number>("value", 10, nullptr);
  for (const auto& p : {a, b}) ASSERT_TRUE(matched(p, 2));
  for (const auto& s : {c, d}) ASSERT_TRUE(eventually([&] { return s->get_publisher_count() == 2; }));
  EXPECT_EQ(a->publish(number(1)).delivered, 2U);
  EXPECT_EQ(b->publish(number(1)).delivered, 2U);
  for (const auto& s : {c, d}) EXPECT_EQ(take_numbers(s, 2), (std::vector<std::int64_t>{1, 1}));
}

TEST_P(TransportConformance, LargeAndEmptyMessagesArriveWhole) {
  auto images = talker->create_publisher<sensor_msgs::msg::Image>("image", 2);
  auto image_sub = hearer->create_subscription<sensor_msgs::msg::Image>("image", 2, nullptr);
  auto texts = talker->create_publisher<Text>("text", 10);
  auto text_sub = hearer->create_subscription<Text>("text", 10, nullptr);
  auto nothings = talker->create_publisher<std_msgs::msg::Empty>("nothing", 10);
  auto nothing_sub = hearer->create_subscription<std_msgs::msg::Empty>("nothing", 10, nullptr);
  ASSERT_TRUE(joined(images, image_sub) && joined(texts, text_sub) && joined(nothings, nothing_sub));

  sensor_msgs::msg::Image image;
  image.encoding = "rgb8";
  image.data.resize(3'000'001);
  for (std::size_t i = 0; i < image.data.size(); ++i) image.data[i] = static_cast<std::uint8_t>(i * 7);
  EXPECT_EQ(images->publish(image).delivered, 1U);
  EXPECT_EQ(take<sensor_msgs::msg::Image>(image_sub, 1).at(0), image);

  for (const std::string& content : {std::string(), std::string(100'000, 'x'), std::string("a")}) {
    Text text;
    text.data = content;
    EXPECT_EQ(texts->publish(text).delivered, 1U);
    EXPECT_EQ(take<Text>(text_sub, 1).at(0).data, content);
  }
  EXPECT_EQ(nothings->publish(std_msgs::msg::Empty{}).delivered, 1U);
  EXPECT_EQ(take<std_msgs::msg::Empty>(nothing_sub, 1).size(), 1U);
}

TEST_P(TransportConformance, ALoanIsFilledAndSent) {
  auto publisher = talker->create_publisher<geometry_msgs::msg::Pose>("pose", 4);
  auto subscription = hearer->create_subscription<geometry_msgs::msg::Pose>("pose", 4, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 20; ++i) {
    auto loan = publisher->borrow();
    ASSERT_TRUE(loan);
    *loan = geometry_msgs::msg::Pose();
    loan->position.x = i;
    EXPECT_EQ(publisher->publish(std::move(loan)).delivered, 1U);
    EXPECT_EQ(take<geometry_msgs::msg::Pose>(subscription, 1).at(0).position.x, i);
  }
  EXPECT_EQ(publisher->counters().loans_exhausted, 0U);
  EXPECT_EQ(publisher->counters().published, 20U);
}

TEST_P(TransportConformance, ALoanThatIsNotSentDisturbsNothing) {
  auto publisher = talker->create_publisher<geometry_msgs::msg::Pose>("pose", 2);
  auto subscription = hearer->create_subscription<geometry_msgs::msg::Pose>("pose", 2, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(publisher->borrow()) << i;
  auto outliving = publisher->borrow();
  auto sent = publisher->borrow();
  sent->position.x = 5;
  EXPECT_EQ(publisher->publish(std::move(sent)).delivered, 1U);
  EXPECT_EQ(take<geometry_msgs::msg::Pose>(subscription, 1).at(0).position.x, 5);
  publisher.reset();
  outliving->position.x = 1;
}

TEST_P(TransportConformance, ASubscriptionThatComesWhileALoanIsFilledGetsItToo) {
  auto publisher = talker->create_publisher<geometry_msgs::msg::Pose>("pose", 4);
  auto there = hearer->create_subscription<geometry_msgs::msg::Pose>("pose", 4, nullptr);
  ASSERT_TRUE(joined(publisher, there));
  auto loan = publisher->borrow();
  loan->position.x = 6;
  auto here = talker->create_subscription<geometry_msgs::msg::Pose>("pose", 4, nullptr);
  EXPECT_EQ(publisher->publish(std::move(loan)).delivered, 2U);
  EXPECT_EQ(take<geometry_msgs::msg::Pose>(there, 1).at(0).position.x, 6);
  EXPECT_EQ(take<geometry_msgs::msg::Pose>(here, 1).at(0).position.x, 6);
}

TEST_P(TransportConformance, TheOriginOfAChainTravelsWithTheMessage) {
  auto publisher = talker->create_publisher<Number>("value", 4);
  auto subscription = hearer->create_subscription<Number>("value", 4, nullptr);
  ASSERT_TRUE(joined(publisher, subscription));
  const timing::Origin origin{SteadyClock::instance()->steady_now() - 3ms,
                              timing::origin_id_of("talker/camera")};
  publisher->publish(number(1), origin);
  MessageInfo info;
  ASSERT_EQ(take<Number>(subscription, 1, &info).size(), 1U);
  EXPECT_EQ(info.origin.at, origin.at);
  EXPECT_EQ(info.origin.section, origin.section);
  EXPECT_GT(info.published, origin.at);
  publisher->publish(number(2));
  ASSERT_EQ(take<Number>(subscription, 1, &info).size(), 1U);
  EXPECT_FALSE(info.origin.known());
}

TEST_P(TransportConformance, AChainIsJudgedAcrossIt) {
  auto publisher = talker->create_publisher<Number>("value", 4);
  auto subscription = hearer->create_subscription<Number>("value", 4, [](const Number&) {});
  ASSERT_TRUE(joined(publisher, subscription));
  const auto& chain = hearing_->add_chain("path", "talker/camera", "hearer/value", Deadline(60s));
  Executor talks({.name = "talks", .context = talking_}), hears({.name = "hears", .context = hearing_});
  TimerOptions camera;
  camera.name = "camera";
  auto timer = talker->create_timer(
      1ms, [&] { publisher->publish(number(1)); }, camera);
  talks.add_node(talker);
  hears.add_node(hearer);
  std::thread thread([&] { talks.spin(); });
  std::thread other([&] { hears.spin(); });
  EXPECT_TRUE(eventually([&] { return chain.activations() >= 5; }));
  talks.cancel();
  hears.cancel();
  thread.join();
  other.join();
  EXPECT_EQ(hearing_->monitor().verdict(chain).judgement, timing::Judgement::met);
}

TEST_P(TransportConformance, CallbacksOfEveryKindAreCalled) {
  auto publisher = talker->create_publisher<Text>("text", 10);
  std::string by_reference, by_shared, by_unique;
  std::uint64_t sequence = 0;
  auto a = hearer->create_subscription<Text>("text", 10, [&](const Text& text) { by_reference = text.data; });
  auto b = hearer->create_subscription<Text>(
      "text", 10, [&](const std::shared_ptr<const Text>& text, const MessageInfo& info) {
        by_shared = text->data;
        sequence = info.sequence;
      });
  auto c = hearer->create_subscription<Text>("text", 10,
                                             [&](std::unique_ptr<Text> text) { by_unique = text->data; });
  ASSERT_TRUE(matched(publisher, 3));
  ASSERT_TRUE(eventually([&] { return c->get_publisher_count() == 1; }));
  Executor executor({.context = hearing_});
  executor.add_node(hearer);
  Text text;
  text.data = "hello";
  publisher->publish(text);
  EXPECT_TRUE(eventually([&] {
    executor.spin_some();
    return by_reference == "hello" && by_shared == "hello" && by_unique == "hello";
  }));
  EXPECT_EQ(sequence, 1U);
}

TEST_P(TransportConformance, AKeptMessageOutlivesItsPublisher) {
  auto publisher = talker->create_publisher<geometry_msgs::msg::Pose>("pose", 2);
  std::vector<std::shared_ptr<const geometry_msgs::msg::Pose>> kept;
  auto subscription = hearer->create_subscription<geometry_msgs::msg::Pose>(
      "pose", 2, [&](const std::shared_ptr<const geometry_msgs::msg::Pose>& pose) { kept.push_back(pose); });
  ASSERT_TRUE(joined(publisher, subscription));
  Executor executor({.context = hearing_});
  executor.add_node(hearer);
  for (int i = 0; i < 4; ++i) {
    geometry_msgs::msg::Pose pose;
    pose.position.x = i;
    publisher->publish(pose);
    ASSERT_TRUE(eventually([&] {
      executor.spin_some();
      return kept.size() == static_cast<std::size_t>(i) + 1;
    }));
  }
  publisher.reset();
  subscription.reset();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(kept[static_cast<std::size_t>(i)]->position.x, i);
}

TEST_P(TransportConformance, AnExecutorThatSleepsIsWokenForEachMessage) {
  auto publisher = talker->create_publisher<Number>("value", 10);
  std::atomic<std::int64_t> last{-1};
  auto subscription =
      hearer->create_subscription<Number>("value", 10, [&](const Number& message) { last = message.data; });
  ASSERT_TRUE(joined(publisher, subscription));
  for (const std::size_t threads : {1U, 3U}) {
    Executor executor({.threads = threads, .context = hearing_});
    executor.add_node(hearer);
    std::thread thread([&] { executor.spin(); });
    for (int i = 0; i < 100; ++i) {
      publisher->publish(number(i));
      ASSERT_TRUE(eventually([&] { return last == i; })) << i;
    }
    executor.cancel();
    thread.join();
    executor.remove_node(hearer);
  }
}

TEST_P(TransportConformance, ABusyPollingExecutorGetsEachMessageToo) {
  auto publisher = talker->create_publisher<Number>("value", 10);
  std::atomic<std::int64_t> last{-1};
  auto subscription =
      hearer->create_subscription<Number>("value", 10, [&](const Number& message) { last = message.data; });
  ASSERT_TRUE(joined(publisher, subscription));
  Executor executor({.busy_poll = 1ms, .context = hearing_});
  executor.add_node(hearer);
  std::thread thread([&] { executor.spin(); });
  for (int i = 0; i < 100; ++i) {
    publisher->publish(number(i));
    ASSERT_TRUE(eventually([&] { return last == i; })) << i;
    if (i % 10 == 0) std::this_thread::sleep_for(2ms);  // it sleeps by now
  }
  executor.cancel();
  thread.join();
}

TEST_P(TransportConformance, ASubscriptionMovesToAnotherExecutorWithItsMessages) {
  auto publisher = talker->create_publisher<Number>("value", 10);
  std::vector<std::int64_t> got;
  auto subscription = hearer->create_subscription<Number>(
      "value", 10, [&](const Number& message) { got.push_back(message.data); });
  ASSERT_TRUE(joined(publisher, subscription));
  for (int i = 0; i < 6; ++i) {
    publisher->publish(number(i));  // while it is in none
    Executor executor({.context = hearing_});
    executor.add_node(hearer);
    ASSERT_TRUE(eventually([&] {
      executor.spin_some();
      return got.size() == static_cast<std::size_t>(i) + 1;
    }));
  }
  EXPECT_EQ(got, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST_P(TransportConformance, ASilenceIsHeardOfFromTheFirstMatchOnAndForAsLongAsItLasts) {
  std::atomic<int> events{0};
  std::atomic<std::int64_t> sum{0}, total{0};
  SubscriptionOptions options;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo& info) {
    sum += info.total_count_change;
    total = info.total_count;
    ++events;
  };
  auto subscription = hearer->create_subscription<Number>(
      "value", QoS(10).deadline(5ms), [](const Number&) {}, options);
  Executor executor({.context = hearing_});
  executor.add_node(hearer);
  std::thread thread([&] { executor.spin(); });
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(events, 0) << "nobody has promised anything";
  auto publisher = talker->create_publisher<Number>("value", QoS(10).deadline(5ms));
  EXPECT_TRUE(eventually([&] { return events >= 2; })) << "although there was no message at all";
  publisher->publish(number(1));
  publisher.reset();
  EXPECT_TRUE(eventually([&] { return subscription->get_publisher_count() == 0; }));
  const auto before = events.load();
  EXPECT_TRUE(eventually([&] { return events >= before + 2; })) << "a publisher that is gone is silent";
  subscription.reset();
  const auto after = events.load();
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(events, after);
  EXPECT_EQ(sum, total);
  executor.cancel();
  thread.join();
}

TEST_P(TransportConformance, MessagesWithinTheDeadlineMakeNoEvent) {
  std::atomic<int> events{0}, heard{0};
  SubscriptionOptions options;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo&) { ++events; };
  auto publisher = talker->create_publisher<Number>("value", QoS(10).deadline(1h));
  auto subscription = hearer->create_subscription<Number>(
      "value", QoS(10).deadline(1h), [&](const Number&) { ++heard; }, options);
  ASSERT_TRUE(joined(publisher, subscription));
  Executor executor({.context = hearing_});
  executor.add_node(hearer);
  std::thread thread([&] { executor.spin(); });
  for (int i = 0; i < 20; ++i) {
    publisher->publish(number(i));
    ASSERT_TRUE(eventually([&] { return heard == i + 1; }));
  }
  executor.cancel();
  thread.join();
  EXPECT_EQ(events, 0);
}

// Whoever looks late finds the gap between the messages, not its own delay.
TEST_P(TransportConformance, AnExecutorThatLooksLateStillFindsTheGapsBetweenMessages) {
  static constexpr auto kDeadline = 10ms;
  std::int64_t counted = 0;
  std::vector<SteadyTime> sent;
  SubscriptionOptions options;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo& info) {
    counted += info.total_count_change;
  };
  auto publisher = talker->create_publisher<Number>("value", QoS(100).deadline(kDeadline));
  auto subscription = hearer->create_subscription<Number>(
      "value", QoS(100).deadline(kDeadline),
      [&](const Number&, const MessageInfo& info) { sent.push_back(info.published); }, options);
  ASSERT_TRUE(joined(publisher, subscription));
  Executor executor({.context = hearing_});
  executor.add_node(hearer);
  ASSERT_TRUE(eventually([&] {
    if (sent.empty()) publisher->publish(number(0));
    executor.spin_some();
    return !sent.empty();
  }));
  executor.spin_all(0ns);
  const auto begun = sent.back();
  sent.clear();
  counted = 0;
  for (const auto gap : {2ms, 25ms, 1ms, 60ms, 1ms}) {
    std::this_thread::sleep_for(gap);
    publisher->publish(number(1));
  }
  ASSERT_TRUE(eventually([&] {
    executor.spin_some();
    return sent.size() == 5;
  }));
  const auto periods = [](SteadyTime from, SteadyTime to) { return (to - from - Duration{1}) / kDeadline; };
  std::int64_t gaps = 0;
  auto from = begun;
  for (const auto at : sent) gaps += periods(std::exchange(from, at), at);
  executor.spin_all(0ns);
  std::this_thread::sleep_for(kDeadline);  // so that it looks once more
  executor.spin_all(0ns);
  EXPECT_GE(gaps, 7) << "2 and 5 at least";
  EXPECT_GE(counted, gaps);
  EXPECT_LE(counted, gaps + periods(from, hearing_->clock()->steady_now())) << "and of the last silence";
}

INSTANTIATE_TEST_SUITE_P(, TransportConformance,
                         ::testing::Values(Path::within_a_process, Path::shared_memory),
                         [](const auto& path) {
                           return path.param == Path::shared_memory ? "SharedMemory" : "WithinAProcess";
                         });

}  // namespace
}  // namespace takt
