// SPDX-License-Identifier: Apache-2.0
// Towards other processes, too, the real-time path uses no heap and asks the kernel for no memory.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <thread>

#include "takt/core/testing/no_allocation.hpp"
#include "takt/graph/host_test_support.hpp"

namespace takt::testing {
namespace {

/// Two contexts of this process, which meet as those of two processes do.
class HostRealTime : public ::testing::Test {
 protected:
  template <class T>
  void join(PublisherOptions options = {}, std::size_t depth = 10) {
    auto publisher = talker_->create_publisher<T>("value", depth, options);
    auto subscription = hearer_->create_subscription<T>("value", depth, nullptr);
    ASSERT_TRUE(comes_true([&] { return publisher->get_subscription_count() == 1; }));
    ASSERT_TRUE(comes_true([&] { return subscription->get_publisher_count() == 1; }));
    publisher_ = publisher;
    subscription_ = subscription;
  }
  template <class T>
  Publisher<T>& publisher() const {
    return static_cast<Publisher<T>&>(*publisher_);
  }
  template <class T>
  Subscription<T>& subscription() const {
    return static_cast<Subscription<T>&>(*subscription_);
  }

  shm::DiscoveryFolder folder_;
  Node::SharedPtr talker_ = host_node(host_context(folder_.base()), "talker");
  Node::SharedPtr hearer_ = host_node(host_context(folder_.base()), "hearer");
  std::shared_ptr<PublisherBase> publisher_;
  std::shared_ptr<SubscriptionHandle> subscription_;
};

TEST_F(HostRealTime, APlainMessageIsPublishedAndTakenWithoutTheHeap) {
  join<Int64>();
  Int64 got;
  MessageInfo info;
  int taken = 0;
  {
    const NoAllocation guard;
    for (int i = 0; i < 100; ++i) {
      publisher<Int64>().publish(int64_of(i));
      auto loan = publisher<Int64>().borrow();
      loan->data = i;
      publisher<Int64>().publish(std::move(loan));
      while (subscription<Int64>().take(got, info)) ++taken;
    }
  }
  EXPECT_EQ(taken, 200);
  EXPECT_EQ(got.data, 99);
}

TEST_F(HostRealTime, APooledMessageIsPublishedAndTakenWithoutTheHeap) {
  join<String>();
  const auto text = string_of(1000);
  String got;
  MessageInfo info;
  for (int i = 0; i < 40; ++i) {  // every pooled message has grown
    publisher<String>().publish(text);
    while (subscription<String>().take(got, info)) {
    }
  }
  int taken = 0;
  {
    const NoAllocation guard;
    for (int i = 0; i < 100; ++i) {
      publisher<String>().publish(text);
      while (subscription<String>().take(got, info)) ++taken;
    }
  }
  EXPECT_EQ(taken, 100);
  EXPECT_EQ(got, text);
}

/// Runs `body` on a thread with real-time scheduling; false where the kernel allows none.
template <class Body>
bool in_real_time(Body body) {
  bool allowed = false;
  std::thread thread([&] {
    sched_param param{};
    param.sched_priority = 10;
    allowed = ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &param) == 0;
    if (allowed) body();
  });
  thread.join();
  return allowed;
}

TEST_F(HostRealTime, ARealTimeThreadDoesNotWaitForMemoryAndTheNextMessageHasIt) {
  join<String>({.reserved = 1000});
  const auto large = string_of(100'000);
  PublishResult first;
  if (!in_real_time([&] {
        const NoAllocation guard;
        first = publisher<String>().publish(large);
      })) {
    GTEST_SKIP() << "needs the privilege to schedule in real time (ulimit -r)";
  }
  EXPECT_EQ(first.host, shm::Refusal::not_reserved);
  EXPECT_EQ(first.delivered, 0U);
  EXPECT_EQ(publisher_->counters().host.refused, 1U);
  PublishResult next;
  EXPECT_TRUE(comes_true([&] {
    in_real_time([&] {
      const NoAllocation guard;
      next = publisher<String>().publish(large);
    });
    return next.delivered == 1;
  }));
  String got;
  MessageInfo info;
  ASSERT_TRUE(comes_true([&] { return subscription<String>().take(got, info); }));
  EXPECT_EQ(got, large);
}

TEST_F(HostRealTime, AnOrdinaryThreadGetsTheMemoryAtOnce) {
  join<String>({.reserved = 1000});
  const auto large = string_of(100'000);
  EXPECT_EQ(publisher<String>().publish(large).delivered, 1U);
  EXPECT_EQ(publisher<String>().counters().host.refused, 0U);
}

}  // namespace
}  // namespace takt::testing
