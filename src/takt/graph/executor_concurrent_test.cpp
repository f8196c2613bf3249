// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "takt/core/steady_clock.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/test_support.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;
using takt::testing::Event;
using takt::testing::quiet_context;

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 10000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

/// An executor that spins on a thread of its own until the end of the test.
struct Spinning {
  explicit Spinning(Executor& spun)
      : executor(spun), thread([this] {
          try {
            executor.spin();
          } catch (const std::exception& e) {
            error = e.what();
          }
        }) {}
  ~Spinning() { end(); }
  void end() {
    executor.cancel();
    if (thread.joinable()) thread.join();
  }
  Executor& executor;
  std::string error;
  std::thread thread;
};

struct ExecutorConcurrentTest : ::testing::Test {
  std::shared_ptr<Context> context = quiet_context();
  std::shared_ptr<Node> node = std::make_shared<Node>("node", NodeOptions{.context = context});
  ExecutorOptions threads(std::size_t n) { return {.threads = n, .context = context}; }
};

TEST_F(ExecutorConcurrentTest, EveryTriggerRunsExactlyOnceHoweverManyThreads) {  // rclcpp#1374
  Executor executor(threads(4));
  auto group = node->create_callback_group(CallbackGroupType::Reentrant);
  std::atomic<int> runs{0};
  std::vector<std::shared_ptr<Event>> events;
  for (int i = 0; i < 5; ++i)
    events.push_back(Event::make(*context, *group, "e" + std::to_string(i), [&] { ++runs; }));
  executor.add_node(node);
  Spinning spinning(executor);
  std::vector<std::thread> producers;
  for (int p = 0; p < 3; ++p) {
    producers.emplace_back([&, p] {
      for (int i = 0; i < 1000; ++i) {
        events[static_cast<std::size_t>(i + p) % events.size()]->trigger();
        if (i % 64 == 0) std::this_thread::sleep_for(100us);
      }
    });
  }
  for (auto& p : producers) p.join();
  EXPECT_TRUE(eventually([&] { return runs == 3000; })) << runs;
  spinning.end();
  EXPECT_EQ(runs, 3000);
}

TEST_F(ExecutorConcurrentTest, AMutuallyExclusiveGroupRunsOneAtATime) {
  Executor executor(threads(4));
  auto group = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  int inside = 0, worst = 0, runs = 0;  // plain: a data race is the failure
  std::vector<std::shared_ptr<Event>> events;
  for (int i = 0; i < 4; ++i) {
    events.push_back(Event::make(*context, *group, "e" + std::to_string(i), [&] {
      worst = std::max(worst, ++inside);
      ++runs;
      --inside;
    }));
  }
  executor.add_node(node);
  std::thread producer;
  {
    Spinning spinning(executor);
    for (int i = 0; i < 2000; ++i) events[static_cast<std::size_t>(i) % 4]->trigger();
    EXPECT_TRUE(eventually([&] {
      int total = 0;
      for (const auto& e : events) total += e->runs();
      return total == 2000;
    }));
  }
  EXPECT_EQ(worst, 1);
  EXPECT_EQ(runs, 2000);
}

TEST_F(ExecutorConcurrentTest, AReentrantCallbackOverlapsItself) {
  Executor executor(threads(2));
  auto group = node->create_callback_group(CallbackGroupType::Reentrant);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  auto event = Event::make(*context, *group, "pair", [&] {
    ++inside;
    if (eventually([&] { return inside >= 2 || met; })) met = true;
    --inside;
  });
  executor.add_node(node);
  Spinning spinning(executor);
  event->trigger();
  event->trigger();
  EXPECT_TRUE(eventually([&] { return event->runs() == 2 && inside == 0; }));
  EXPECT_TRUE(met);
}

TEST_F(ExecutorConcurrentTest, ATimerIsServedByAnotherThreadWhileOneIsBusy) {
  Executor executor(threads(2));
  auto a = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  auto b = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  std::atomic<int> ticks{0};
  std::atomic<bool> release{false};
  auto timer = node->create_timer(
      1ms, [&] { ++ticks; }, TimerOptions{.group = a});
  auto blocker =
      Event::make(*context, *b, "blocker", [&] { EXPECT_TRUE(eventually([&] { return release.load(); })); });
  executor.add_node(node);
  Spinning spinning(executor);
  ASSERT_TRUE(eventually([&] { return ticks > 3; }));
  blocker->trigger();
  ASSERT_TRUE(eventually([&] { return blocker->runs() == 1; }));
  const int before = ticks;
  EXPECT_TRUE(eventually([&] { return ticks > before + 5; }));
  release = true;
}

TEST_F(ExecutorConcurrentTest, NothingStartsAfterRemoveReturned) {
  Executor executor(threads(3));
  for (int round = 0; round < 30; ++round) {
    auto group = node->create_callback_group(CallbackGroupType::Reentrant, false);
    std::atomic<bool> gone{false};
    std::atomic<int> late{0};
    auto event = Event::make(*context, *group, "victim", [&] {
      if (gone) ++late;
      std::this_thread::sleep_for(50us);
      if (gone) ++late;
    });
    executor.add_callback_group(group);
    Spinning spinning(executor);
    std::atomic<bool> stop{false};
    std::thread producer([&] {
      while (!stop) event->trigger();
    });
    ASSERT_TRUE(eventually([&] { return event->runs() > 2; }));
    executor.remove_callback_group(group);
    gone = true;
    std::this_thread::sleep_for(200us);
    stop = true;
    producer.join();
    EXPECT_EQ(late, 0);
    gone = false;
  }
}

TEST_F(ExecutorConcurrentTest, NodesComeAndGoWhileItSpins) {
  Executor executor(threads(2));
  Spinning spinning(executor);
  std::atomic<int> ticks{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 3; ++u) {
    users.emplace_back([&, u] {
      for (int i = 0; i < 40; ++i) {
        auto own = std::make_shared<Node>("n" + std::to_string(u), NodeOptions{.context = context});
        auto timer = own->create_timer(100us, [&] { ++ticks; });
        executor.add_node(own);
        auto second = own->create_timer(150us, [&] { ++ticks; });
        std::this_thread::sleep_for(1ms);
        if (i % 3 == 0) timer.reset();
        if (i % 2 == 0) executor.remove_node(own);
      }
    });
  }
  for (auto& u : users) u.join();
  EXPECT_GT(ticks, 0);
}

TEST_F(ExecutorConcurrentTest, NoEventOutlivesACancel) {
  Executor executor(threads(2));
  auto group = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  std::atomic<int> runs{0};
  auto timer = node->create_timer(
      50us, [&] { ++runs; }, TimerOptions{.group = group});
  auto barrier = Event::make(*context, *group, "barrier", [] {});
  executor.add_node(node);
  Spinning spinning(executor);
  for (int i = 0; i < 50; ++i) {
    timer->reset();
    std::this_thread::sleep_for(300us);
    timer->cancel();
    // An activation that had begun when cancel() was called may still run; the group lets the barrier in
    // after it.
    barrier->trigger();
    ASSERT_TRUE(
        eventually([&] { return barrier->section().activations() == static_cast<std::uint64_t>(i + 1); }));
    const int after = runs;
    std::this_thread::sleep_for(500us);
    EXPECT_EQ(runs, after);
  }
}

TEST_F(ExecutorConcurrentTest, AGroupCanHaveAnExecutorOfItsOwn) {
  CallbackGroupOptions options;
  options.own_executor = ExecutorOptions{.name = "own"};
  auto group = node->create_callback_group(CallbackGroupType::MutuallyExclusive, options);
  std::atomic<int> ticks{0};
  std::atomic<bool> release{false};
  auto timer = node->create_timer(
      1ms, [&] { ++ticks; }, TimerOptions{.group = group});
  auto blocker = Event::make(*context, *node->get_default_callback_group(), "blocker",
                             [&] { EXPECT_TRUE(eventually([&] { return release.load(); })); });
  Executor executor(threads(1));
  executor.add_node(node);
  Spinning spinning(executor);
  blocker->trigger();
  ASSERT_TRUE(eventually([&] { return blocker->runs() == 1; }));
  const int before = ticks;
  EXPECT_TRUE(eventually([&] { return ticks > before + 3; }));
  release = true;
  spinning.end();
  const int after = ticks;
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(ticks, after);  // it ended with the executor that holds the node
}

TEST_F(ExecutorConcurrentTest, AnExceptionOfAnOwnExecutorLeavesTheParentsSpin) {
  Executor executor(threads(1));
  auto timer = node->create_timer(
      1ms, [] { throw std::out_of_range("from the child"); }, TimerOptions{.name = "child timer"});
  executor.add_node(node, ExecutorOptions{.name = "own"});
  EXPECT_THROW(executor.spin(), std::out_of_range);
  EXPECT_EQ(executor.failed_callback(), "node/child timer");
}

TEST_F(ExecutorConcurrentTest, ExceptionsOfAnyWorkerLeaveSpinOnTheThreadThatCalledIt) {
  Executor executor(threads(3));
  auto group = node->create_callback_group(CallbackGroupType::Reentrant);
  auto event = Event::make(*context, *group, "thrower", [] { throw std::domain_error("from a worker"); });
  executor.add_node(node);
  for (int i = 0; i < 6; ++i) event->trigger();
  EXPECT_THROW(executor.spin(), std::domain_error);
}

TEST_F(ExecutorConcurrentTest, SpinUntilFutureCompleteEndsWithTheFutureTheTimeoutOrTheShutdown) {
  Executor executor(threads(1));
  executor.add_node(node);
  std::promise<int> promise;
  auto future = promise.get_future();
  EXPECT_EQ(executor.spin_until_future_complete(future, 3ms), FutureReturnCode::TIMEOUT);
  auto timer = node->create_timer(2ms, [&, done = false]() mutable {
    if (!done) promise.set_value(1);
    done = true;
  });
  EXPECT_EQ(executor.spin_until_future_complete(future), FutureReturnCode::SUCCESS);
  std::promise<int> elsewhere;
  auto far = elsewhere.get_future();
  std::thread other([&] {
    std::this_thread::sleep_for(5ms);
    elsewhere.set_value(2);
  });
  EXPECT_EQ(executor.spin_until_future_complete(far), FutureReturnCode::SUCCESS);
  other.join();
  std::promise<int> never;
  auto lost = never.get_future();
  std::thread ender([&] {
    std::this_thread::sleep_for(5ms);
    context->shutdown();
  });
  EXPECT_EQ(executor.spin_until_future_complete(lost), FutureReturnCode::INTERRUPTED);
  ender.join();
}

TEST_F(ExecutorConcurrentTest, ALateNotifyAfterTheExecutorIsGoneIsHarmless) {
  auto group = node->create_callback_group(CallbackGroupType::MutuallyExclusive, false);
  auto event = Event::make(*context, *group, "late", [] {});
  std::atomic<bool> stop{false};
  std::thread producer([&] {
    while (!stop) event->trigger();
  });
  for (int i = 0; i < 20; ++i) {
    Executor executor(threads(1));
    executor.add_callback_group(group);
    executor.spin_some(1ms);
  }
  stop = true;
  producer.join();
}

TEST_F(ExecutorConcurrentTest, AGroupThatMovesToAnotherExecutorStaysExclusive) {
  Executor first(threads(2)), second(threads(2));
  auto group = node->create_callback_group(CallbackGroupType::MutuallyExclusive, false);
  std::atomic<int> inside{0}, worst{0};
  auto event = Event::make(*context, *group, "moving", [&] {
    worst = std::max(worst.load(), ++inside);
    std::this_thread::sleep_for(20us);
    --inside;
  });
  Spinning a(first), b(second);
  std::atomic<bool> stop{false};
  std::thread producer([&] {
    while (!stop) {
      event->trigger();
      std::this_thread::sleep_for(10us);
    }
  });
  // On a busy machine a turn may pass in which nobody got a CPU.
  for (int i = 0; i < 50 || (event->runs() == 0 && i < 100'000); ++i) {
    Executor& here = i % 2 == 0 ? first : second;
    here.add_callback_group(group);
    std::this_thread::sleep_for(300us);
    here.remove_callback_group(group);
  }
  stop = true;
  producer.join();
  EXPECT_EQ(worst, 1);
  EXPECT_GT(event->runs(), 0);
}

TEST_F(ExecutorConcurrentTest, AnIdleExecutorDoesNotWakeUp) {
  struct CountingClock final : MonotonicClock {
    SteadyTime steady_now() const noexcept override { return SteadyClock::instance()->steady_now(); }
    WaitResult wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    SteadyTime deadline) noexcept override {
      ++waits;
      return SteadyClock::instance()->wait(word, expected, deadline);
    }
    void sleep_until(SteadyTime deadline) noexcept override {
      SteadyClock::instance()->sleep_until(deadline);
    }
    std::atomic<int> waits{0};
  };
  auto clock = std::make_shared<CountingClock>();
  auto idle_context = quiet_context(clock);
  auto idle = std::make_shared<Node>("idle", NodeOptions{.context = idle_context});
  auto cancelled = idle->create_timer(
      1ms, [] {}, TimerOptions{.autostart = false});
  auto slow = idle->create_timer(1h, [] {});
  Executor executor(ExecutorOptions{.threads = 3, .context = idle_context});
  executor.add_node(idle);
  Spinning spinning(executor);
  ASSERT_TRUE(eventually([&] { return clock->waits >= 3; }));
  std::this_thread::sleep_for(20ms);
  const int before = clock->waits;
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(clock->waits, before);
}

}  // namespace
}  // namespace takt
