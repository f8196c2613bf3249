// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/deadline_event.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "takt/graph/executor.hpp"
#include "takt/graph/node.hpp"
#include "takt/graph/test_support.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

struct Tick {
  int value = 0;
};

TEST(SilenceConcurrent, EachPeriodIsCountedOnceWhoeverFindsIt) {
  Silence silence{1us};
  silence.begin(SteadyTime{});
  constexpr std::int64_t kSteps = 900;  // each longer than a period by 1 ns: k of them together are k periods
  std::atomic<std::int64_t> steps{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, looks = i == 0] {
      for (auto step = ++steps; step <= kSteps; step = ++steps) {
        const SteadyTime at{Duration{step * 1001}};
        silence.heard(at, true);
        if (looks) silence.look(at, SteadyTime::min());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  silence.heard(SteadyTime{Duration{kSteps * 1001}}, true);
  EXPECT_EQ(silence.take(), static_cast<std::uint64_t>(kSteps));
}

struct DeadlineEventConcurrent : ::testing::Test {
  std::shared_ptr<Context> context = testing::quiet_context();
  std::shared_ptr<Node> node = std::make_shared<Node>("node", NodeOptions{.context = context});
  Executor executor{{.threads = 2, .context = context}};
};

TEST_F(DeadlineEventConcurrent, TheChangesOfEventsThatOverlapAddUpToTheTotal) {
  const auto group = node->create_callback_group(CallbackGroupType::Reentrant);
  std::atomic<std::int64_t> sum{0}, highest{0};
  SubscriptionOptions options;
  options.callback_group = group;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo& info) {
    sum += info.total_count_change;
    auto known = highest.load();
    while (known < info.total_count && !highest.compare_exchange_weak(known, info.total_count)) {
    }
    std::this_thread::sleep_for(500us);
  };
  const auto qos = QoS(10).deadline(200us);
  const auto subscription = node->create_subscription<Tick>(
      "tick", qos, [](const Tick&) {}, options);
  std::vector<Publisher<Tick>::SharedPtr> publishers;
  for (int i = 0; i < 2; ++i) publishers.push_back(node->create_publisher<Tick>("tick", qos));
  executor.add_node(node);
  std::vector<std::thread> threads;
  threads.emplace_back([&] { executor.spin(); });
  for (const auto& publisher : publishers) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        publisher->publish(Tick{});
        std::this_thread::sleep_for(i % 10 == 0 ? 2ms : 100us);
      }
    });
  }
  for (std::size_t i = 1; i < threads.size(); ++i) threads[i].join();
  executor.cancel();
  threads.front().join();
  EXPECT_GT(sum, 0);
  EXPECT_EQ(sum, highest);
}

TEST_F(DeadlineEventConcurrent, PublishersAndSubscriptionsComeAndGoWhileTheirEventsAreDue) {
  std::atomic<std::uint64_t> events{0};
  SubscriptionOptions of_subscription;
  of_subscription.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo&) { ++events; };
  PublisherOptions of_publisher;
  of_publisher.event_callbacks.deadline_callback = [&](QOSDeadlineOfferedInfo&) { ++events; };
  const auto qos = QoS(10).deadline(50us);
  executor.add_node(node);
  std::thread spinning([&] { executor.spin(); });
  for (int i = 0; i < 200 || events < 100; ++i) {
    auto alive =
        std::make_unique<std::uint64_t>(0);  // a use after free under a sanitizer if an event came late
    of_subscription.event_callbacks.deadline_callback = [&, watched = alive.get()](auto&) {
      ++*watched;
      ++events;
    };
    auto subscription = node->create_subscription<Tick>(
        "tick", qos, [](const Tick&) {}, of_subscription);
    auto publisher = node->create_publisher<Tick>("tick", qos, of_publisher);
    publisher->publish(Tick{});
    std::this_thread::sleep_for(std::chrono::microseconds{i % 200});
    if (i % 2 == 0) publisher.reset();
    subscription.reset();
    alive.reset();
  }
  executor.cancel();
  spinning.join();
}

}  // namespace
}  // namespace takt
