// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "takt/graph/host_test_support.hpp"

namespace takt::testing {
namespace {

using namespace std::chrono_literals;

/// What several threads have taken, each message once.
class Once {
 public:
  void add(std::int64_t value) {
    const std::lock_guard lock(mutex_);
    twice_ += seen_.insert(value).second ? 0U : 1U;
  }
  std::uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return seen_.size();
  }
  std::uint64_t twice() const {
    const std::lock_guard lock(mutex_);
    return twice_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::int64_t> seen_;
  std::uint64_t twice_ = 0;
};

/// Publishes different numbers from several threads until it is stopped.
class Chorus {
 public:
  Chorus(Publisher<Int64>& publisher, std::int64_t voices) {
    for (std::int64_t voice = 0; voice < voices; ++voice) {
      threads_.emplace_back([this, &publisher, voice] { sing(publisher, voice << 40); });
    }
  }
  ~Chorus() { stop(); }
  Chorus(const Chorus&) = delete;
  Chorus& operator=(const Chorus&) = delete;

  void stop() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }
  std::uint64_t sent() const { return sent_; }

 private:
  void sing(Publisher<Int64>& publisher, std::int64_t value) {
    while (!stop_.load()) {
      const auto result = publisher.publish(int64_of(++value));
      if (result.host == shm::Refusal::none) ++sent_;
      if (value % 16 == 0) std::this_thread::sleep_for(100us);
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> sent_{0};
  std::vector<std::thread> threads_;
};

class HostConcurrent : public ::testing::Test {
 protected:
  shm::DiscoveryFolder folder_;
  Node::SharedPtr talker_ = host_node(host_context(folder_.base()), "talker");
  Node::SharedPtr hearer_ = host_node(host_context(folder_.base()), "hearer");
};

/// Subscriptions that come, take a little and go; how many messages they took in all.
std::uint64_t come_and_go(Node& node, const std::atomic<bool>& stop) {
  std::uint64_t taken = 0;
  while (!stop.load()) {
    const auto subscription = node.create_subscription<Int64>("value", 10, nullptr);
    Once once;
    Int64 message;
    MessageInfo info;
    for (int look = 0; look < 20; ++look) {
      while (subscription->take(message, info)) once.add(message.data);
      std::this_thread::sleep_for(50us);
    }
    EXPECT_EQ(once.twice(), 0U);
    EXPECT_EQ(subscription->counters().taken, once.count());
    taken += once.count();
  }
  return taken;
}

TEST_F(HostConcurrent, EachMessageIsDeliveredOnceOrCountedAsLostWhileSubscriptionsComeAndGo) {
  const auto publisher = talker_->create_publisher<Int64>("value", 50);
  SubscriptionOptions options;
  options.callback_group = hearer_->create_callback_group(CallbackGroupType::Reentrant);
  Once once;
  const auto subscription = hearer_->create_subscription<Int64>(
      "value", 50, [&](const Int64& message) { once.add(message.data); }, options);
  ASSERT_TRUE(comes_true([&] { return publisher->get_subscription_count() == 1; }));
  ASSERT_TRUE(comes_true([&] { return subscription->get_publisher_count() == 1; }));
  const Spinning spinning(hearer_, {.threads = 3});

  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> taken_by_others{0};
  std::vector<std::thread> coming;
  for (int i = 0; i < 2; ++i) coming.emplace_back([&] { taken_by_others += come_and_go(*hearer_, stop); });
  Chorus chorus(*publisher, 3);
  std::this_thread::sleep_for(500ms);
  chorus.stop();
  stop = true;
  for (auto& thread : coming) thread.join();

  const auto sent = chorus.sent();
  EXPECT_TRUE(comes_true([&] { return once.count() + subscription->counters().lost == sent; }))
      << once.count() << " + " << subscription->counters().lost << " of " << sent;
  EXPECT_EQ(once.twice(), 0U);
  EXPECT_EQ(subscription->counters().taken, once.count());
  EXPECT_GT(once.count(), 0U);
  EXPECT_GT(taken_by_others.load(), 0U);
  const auto host = publisher->counters().host;
  EXPECT_EQ(host.sent, sent);
  EXPECT_EQ(host.taken, once.count() + taken_by_others.load());
  EXPECT_TRUE(comes_true([&] { return publisher->get_subscription_count() == 1; })) << "the others have left";
}

TEST_F(HostConcurrent, PublishersComeAndGoWhileTheirMessagesAreTaken) {
  std::atomic<std::uint64_t> heard{0};
  SubscriptionOptions options;
  options.callback_group = hearer_->create_callback_group(CallbackGroupType::Reentrant);
  const auto subscription = hearer_->create_subscription<Int64>(
      "value", 50, [&](const Int64&) { ++heard; }, options);
  const Spinning spinning(hearer_, {.threads = 3});
  std::uint64_t sent = 0;
  for (int round = 0; round < 20; ++round) {
    const auto publisher = talker_->create_publisher<Int64>("value", 50);
    ASSERT_TRUE(comes_true([&] { return publisher->get_subscription_count() == 1; }));
    Chorus chorus(*publisher, 2);
    std::this_thread::sleep_for(5ms);
    chorus.stop();
    sent += chorus.sent();
  }
  EXPECT_TRUE(comes_true([&] { return subscription->get_publisher_count() == 0; }));
  EXPECT_TRUE(comes_true([&] { return heard + subscription->counters().lost == sent; }))
      << heard << " + " << subscription->counters().lost << " of " << sent;
  EXPECT_EQ(subscription->counters().taken, heard.load());
}

}  // namespace
}  // namespace takt::testing
