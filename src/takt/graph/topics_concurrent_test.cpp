// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "takt/graph/topic_test_support.hpp"

namespace takt {
namespace {

using testing::Sample;

/// On the real clock, without an executor: threads of the test take.
struct Topics {
  std::shared_ptr<Context> context = testing::quiet_context();

  std::shared_ptr<Publisher<Sample>> publisher(const QoS& qos, PublisherOptions options = {}) {
    return std::make_shared<Publisher<Sample>>(context, "talker", "/topic", qos, options);
  }
  std::shared_ptr<Subscription<Sample>> polled(const QoS& qos) {
    return std::make_shared<Subscription<Sample>>(context, "listener", "/topic", qos, nullptr,
                                                  SubscriptionOptions{}, nullptr);
  }
};

/// Publishes in every way until told to stop, at its own pace.
void publish_all_the_time(Publisher<Sample>& publisher, const std::atomic<bool>& stop, int pace) {
  for (int i = 0; !stop.load(); ++i) {
    switch (i % 3) {
      case 0:
        publisher.publish(Sample{i});
        break;
      case 1:
        publisher.publish(std::make_unique<Sample>(Sample{i}));
        break;
      default:
        if (auto loan = publisher.borrow()) publisher.publish(std::move(loan));
    }
    if (pace > 0 && i % pace == 0) std::this_thread::yield();
  }
}

std::uint64_t drain(Subscription<Sample>& subscription) {
  Sample sample;
  MessageInfo info;
  std::uint64_t n = 0;
  while (subscription.take(sample, info)) ++n;
  return n;
}

TEST(TopicsConcurrent, nothing_is_lost_uncounted) {
  Topics topics;
  const auto publisher = topics.publisher(10, {.loans = 16});
  const auto last = topics.polled(4);
  const auto all = topics.polled(KeepAll{64});
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (const int pace : {0, 10, 70}) {
    threads.emplace_back([&, pace] { publish_all_the_time(*publisher, stop, pace); });
  }
  std::atomic<std::uint64_t> taken{0};
  for (auto* subscription : {last.get(), all.get(), all.get()}) {
    threads.emplace_back([&, subscription] {
      while (!stop.load()) taken += drain(*subscription);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{30});
  stop = true;
  for (auto& thread : threads) thread.join();

  const auto sent = publisher->counters();
  SubscriptionCounters sum;
  for (const auto* subscription : {last.get(), all.get()}) {
    const auto c = subscription->counters();
    EXPECT_EQ(sent.published, c.received + c.refused);
    EXPECT_EQ(c.received, c.taken + c.overwritten + subscription->size());
    sum.received += c.received;
    sum.overwritten += c.overwritten;
    sum.refused += c.refused;
    sum.taken += c.taken;
  }
  EXPECT_EQ(sent.delivered, sum.received);
  EXPECT_EQ(sent.overwritten, sum.overwritten);
  EXPECT_EQ(sent.refused, sum.refused);
  EXPECT_EQ(taken.load(), sum.taken);
}

TEST(TopicsConcurrent, subscriptions_come_and_go_while_messages_are_published) {
  Topics topics;
  const auto publisher = topics.publisher(QoS(4), {.loans = 8});
  std::atomic<bool> stop{false};
  std::vector<std::thread> publishing;
  for (const int pace : {8, 30}) {
    publishing.emplace_back([&, pace] { publish_all_the_time(*publisher, stop, pace); });
  }
  std::vector<std::thread> coming;
  for (int t = 0; t < 2; ++t) {
    coming.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto subscription = topics.polled(2);
        drain(*subscription);
      }
    });
  }
  for (auto& thread : coming) thread.join();
  stop = true;
  for (auto& thread : publishing) thread.join();
  EXPECT_EQ(publisher->get_subscription_count(), 0U);
  // What the ended subscriptions held comes back once the house has let go of them.
  std::vector<Loan<Sample>> all;
  for (int round = 0; round < 10 && all.size() < 8; ++round) {
    topics.context->house().run_now();
    while (auto loan = publisher->borrow()) all.push_back(std::move(loan));
  }
  EXPECT_EQ(all.size(), 8U);
}

TEST(TopicsConcurrent, a_late_transient_local_subscription_has_no_gap_and_no_duplicate) {
  Topics topics;
  const auto publisher = topics.publisher(QoS(8).transient_local(), {.loans = 64});
  std::atomic<bool> stop{false};
  std::thread publishing([&] {
    for (int i = 0; !stop.load(); ++i) {
      publisher->publish(Sample{i});
      if (i % 64 == 0) std::this_thread::yield();
    }
  });
  for (int i = 0; i < 10; ++i) {
    const auto subscription = topics.polled(QoS(KeepAll{8192}).transient_local());
    std::vector<std::uint64_t> sequences;
    Sample sample;
    MessageInfo info;
    while (sequences.size() < 40) {
      if (subscription->take(sample, info)) {
        sequences.push_back(info.sequence);
      } else {
        std::this_thread::yield();
      }
    }
    // Also where the queue became full meanwhile: what is refused then is newer than these.
    for (std::size_t k = 1; k < sequences.size(); ++k) ASSERT_EQ(sequences[k], sequences[k - 1] + 1) << k;
  }
  stop = true;
  publishing.join();
}

TEST(TopicsConcurrent, late_subscriptions_of_several_publishing_threads_get_each_message_once) {
  Topics topics;
  const auto publisher = topics.publisher(QoS(8).transient_local());
  std::atomic<bool> stop{false};
  std::vector<std::thread> publishing;
  for (const int pace : {4, 8, 50}) {
    publishing.emplace_back([&, pace] {
      for (int i = 1; !stop.load(); ++i) {
        publisher->publish(std::make_unique<Sample>());
        if (i % pace == 0) std::this_thread::yield();
      }
    });
  }
  const auto wait_for_more = [&] {
    const auto seen = publisher->counters().published;
    while (publisher->counters().published < seen + 50) std::this_thread::yield();
  };
  std::vector<std::shared_ptr<Subscription<Sample>>> all;
  for (int i = 0; i < 4; ++i) {
    wait_for_more();
    all.push_back(topics.polled(QoS(KeepAll{8192}).transient_local()));
  }
  wait_for_more();
  stop = true;
  for (auto& thread : publishing) thread.join();
  const auto last = publisher->counters().published;
  for (const auto& subscription : all) {
    std::set<std::uint64_t> sequences;
    std::optional<MessageInfo> first;
    Sample sample;
    MessageInfo info;
    while (subscription->take(sample, info)) {
      if (!first) first = info;
      ASSERT_TRUE(sequences.insert(info.sequence).second) << "twice: " << info.sequence;
    }
    ASSERT_TRUE(first);
    // From the first retained one on every message is there, unless this machine was faster than the queue is
    // deep.
    const bool retained = first->received != first->published;
    if (!retained || subscription->counters().refused != 0) continue;
    for (auto s = first->sequence; s <= last; ++s) ASSERT_EQ(sequences.count(s), 1U) << s;
  }
}

TEST(TopicsConcurrent, both_ends_come_and_go) {
  Topics topics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i) {
        const auto publisher = topics.publisher(QoS(2).transient_local());
        for (int k = 0; k < 5; ++k) publisher->publish(Sample{k});
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i) {
        const auto subscription = topics.polled(QoS(2).transient_local());
        drain(*subscription);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(topics.context->topics().topics().empty());
}

}  // namespace
}  // namespace takt
