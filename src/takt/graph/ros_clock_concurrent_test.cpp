// SPDX-License-Identifier: Apache-2.0
// ROS time with readers, sleepers, timers and jump callbacks in other threads.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "takt/core/steady_clock.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/rate.hpp"
#include "takt/graph/test_support.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

ClockTime at(Duration d) { return ClockTime{d}; }

struct Time {
  std::shared_ptr<RosTime> time = std::make_shared<RosTime>(SteadyClock::instance());
  RosClock::SharedPtr clock = std::make_shared<RosClock>(time, SteadyClock::instance());
  void sample(Duration stamp) const { time->set(at(stamp), SteadyClock::instance()->steady_now(), true); }
};

TEST(TimeCellConcurrent, AStateIsNeverTorn) {
  TimeCell cell;
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  readers.reserve(2);
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      std::uint32_t last = 0;
      while (!done.load()) {
        const auto state = cell.read();
        EXPECT_EQ(as_ns(state.now), as_ns(state.arrival));
        EXPECT_EQ(as_ns(state.now), as_ns(state.jumped_from));
        EXPECT_EQ(as_ns(state.now), as_ns(state.jumped_to));
        EXPECT_EQ(as_ns(state.now), state.stops);
        EXPECT_EQ(state.stops, state.epoch);
        EXPECT_GE(state.epoch, last);
        last = state.epoch;
      }
    });
  }
  for (std::uint32_t i = 1; i <= 20'000; ++i) {
    const Duration t{i};
    cell.write({.epoch = i,
                .stops = i,
                .now = at(t),
                .arrival = SteadyTime{t},
                .jumped_from = at(t),
                .jumped_to = at(t)});
    if (i % 64 == 0) std::this_thread::yield();
  }
  done = true;
  for (auto& reader : readers) reader.join();
}

TEST(RosClockConcurrent, ASleeperWakesWhenSimulatedTimeReachesIt) {
  const Time ros;
  ros.time->set_active(true);
  ros.sample(1s);
  std::atomic<bool> awake{false};
  std::thread sleeper([&] {
    EXPECT_TRUE(ros.clock->sleep_until(at(1s + 5ms)));
    EXPECT_GE(ros.clock->now(), at(1s + 5ms));
    awake = true;
  });
  for (int i = 1; i <= 4; ++i) {
    std::this_thread::sleep_for(1ms);
    ros.sample(1s + i * 1ms);
    EXPECT_FALSE(awake.load());
  }
  std::this_thread::sleep_for(5ms);
  ros.sample(1s + 4ms);  // paused: it sleeps on
  EXPECT_FALSE(awake.load());
  ros.sample(1s + 5ms);
  sleeper.join();
}

TEST(RosClockConcurrent, NoWakeOfManySleepersIsLost) {
  const Time ros;
  ros.time->set_active(true);
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 3; ++i) {
    sleepers.emplace_back([&, i] {
      EXPECT_TRUE(ros.clock->wait_until_started());
      for (int n = 1; n <= 100; ++n) EXPECT_TRUE(ros.clock->sleep_until(at(1s + n * (i + 1) * 1ms)));
    });
  }
  std::atomic<bool> done{false};
  std::thread simulator([&] {
    for (int n = 0; !done.load(); ++n) {
      ros.sample(1s + n * 1ms);
      std::this_thread::yield();
    }
  });
  for (auto& sleeper : sleepers) sleeper.join();
  done = true;
  simulator.join();
}

TEST(RosClockConcurrent, AChangeOfTheSourceWakesASleeperWithFalse) {
  const Time ros;
  std::atomic<bool> awake{false};
  std::thread sleeper([&] {
    EXPECT_FALSE(ros.clock->sleep_until(at(24h * 36500)));
    awake = true;
  });
  for (bool active = true; !awake.load(); active = !active) {  // it may not sleep yet
    ros.time->set_active(active);
    std::this_thread::sleep_for(2ms);
  }
  sleeper.join();
}

TEST(RosClockConcurrent, TheEndWakesSleepersWithFalse) {
  for (const bool active : {false, true}) {
    const Time ros;
    ros.time->set_active(active);
    std::thread sleeper([&] { EXPECT_FALSE(ros.clock->sleep_until(at(24h * 36500))); });
    std::this_thread::sleep_for(2ms);
    ros.time->end();
    sleeper.join();
  }
}

TEST(RosClockConcurrent, WaitUntilStartedGivesUpInTime) {
  const Time ros;
  ros.time->set_active(true);
  EXPECT_FALSE(ros.clock->wait_until_started(2ms));
}

TEST(RosClockConcurrent, TheLongestTimesNeverPass) {
  for (const bool active : {false, true}) {
    const Time ros;
    ros.time->set_active(active);
    std::atomic<bool> ended{false};
    std::thread waiter([&] {
      EXPECT_FALSE(ros.clock->sleep_for(Duration::max()));
      EXPECT_TRUE(ended.load());
    });
    std::this_thread::sleep_for(2ms);
    ended = true;
    ros.time->end();
    waiter.join();
  }
}

TEST(RosClockConcurrent, WaitingForTheStartMayLastForever) {
  const Time ros;
  ros.time->set_active(true);
  std::thread waiter([&] { EXPECT_TRUE(ros.clock->wait_until_started(Duration::max())); });
  std::this_thread::sleep_for(2ms);
  ros.sample(1s);
  waiter.join();
}

TEST(RosClockConcurrent, ARateOnSimulatedTimeFollowsIt) {
  const Time ros;
  ros.time->set_active(true);
  ros.sample(1s);
  std::atomic<bool> done{false};
  std::thread simulator([&] {
    for (int n = 1; !done.load(); ++n) {
      ros.sample(1s + n * 1ms);
      std::this_thread::sleep_for(100us);
    }
  });
  Rate rate(10ms, ros.clock);
  for (int i = 0; i < 5; ++i) rate.sleep();
  EXPECT_GE(ros.clock->now(), at(1s + 50ms));
  done = true;
  simulator.join();
}

TEST(RosClockConcurrent, JumpHandlersComeAndGoWhileTimeMoves) {
  const Time ros;
  ros.time->set_active(true);
  std::atomic<bool> done{false};
  std::thread simulator([&] {
    for (int n = 1; !done.load(); n = n % 50 + 1) {  // and back again
      ros.sample(n * 1ms);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 200; ++i) {
    auto alive = std::make_shared<std::atomic<bool>>(true);
    auto handler = ros.clock->create_jump_callback([alive] { EXPECT_TRUE(alive->load()); }, {},
                                                   {.min_forward = 1ns, .min_backward = -1ns});
    std::this_thread::yield();
    handler.reset();
    alive->store(false);
  }
  done = true;
  simulator.join();
}

TEST(RosTimeConcurrent, SilenceTakesNoSampleBack) {
  const Time ros;
  ros.time->set_active(true);
  ros.sample(1s);
  const auto epoch = ros.time->state().epoch;
  std::atomic<bool> done{false};
  std::thread house([&] {
    while (!done.load()) ros.time->silence();
  });
  for (int n = 1; n <= 20'000; ++n) ros.sample(1s + n * 1us);
  done = true;
  house.join();
  EXPECT_EQ(ros.time->state().epoch, epoch) << "there was a jump back";
}

TEST(SimulatedTimersConcurrent, RunWhileTimeJumpsAndTheSourceChanges) {
  const auto context = testing::quiet_context();
  const auto node = std::make_shared<Node>("node", NodeOptions{.context = context});
  Executor executor({.threads = 2, .context = context});
  executor.add_node(node);
  std::atomic<int> calls{0};
  const auto timer = node->create_timer(1ms, [&](const TimerInfo& info) {
    EXPECT_LE(info.expected, info.actual);
    calls.fetch_add(1);
  });
  auto& time = node->get_clock()->time();
  std::thread simulator([&] {
    for (int round = 0; round < 20; ++round) {
      time.set_active(round % 2 == 0);
      for (int n = 1; n <= 20; ++n) {
        time.set(at(n * 1ms), SteadyClock::instance()->steady_now(), true);
        if (n == 10) time.set(at(5ms), SteadyClock::instance()->steady_now(), true);
        std::this_thread::sleep_for(100us);
      }
      auto brief = node->create_timer(1ms, [] {});
      timer->reset();
    }
    // At the end it runs on, whatever came before.
    time.set_active(false);
    const auto seen = calls.load();
    while (calls.load() < seen + 3) std::this_thread::sleep_for(1ms);
    executor.cancel();
  });
  executor.spin();
  simulator.join();
  EXPECT_GT(calls.load(), 3);
}

/// A worker, and a thread that moves time between its look at it and its taking of the slot.
class TimerAndJumps : public ::testing::Test {
 protected:
  void spin() {
    executor.add_node(node);
    worker = std::thread([this] { executor.spin(); });
  }
  void TearDown() override {
    executor.cancel();
    worker.join();
  }
  static void linger(int n) {  // for differing, short times
    for (int i = n % 50 * 20; i > 0; --i) std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void sample(Duration stamp) { time().set(at(stamp), SteadyClock::instance()->steady_now(), true); }
  RosTime& time() { return node->get_clock()->time(); }

  std::shared_ptr<Context> context = testing::quiet_context();
  std::shared_ptr<Node> node = std::make_shared<Node>("node", NodeOptions{.context = context});
  Executor executor{{.context = context}};
  std::thread worker;
};

TEST_F(TimerAndJumps, NoneOfManyJumpsBackLeavesASlotInTheFuture) {
  time().set_active(true);
  const auto timer = node->create_timer(1ms, [] {});
  spin();
  for (int n = 0; n < 20'000; ++n) {
    sample(1001s);
    timer->reset();
    sample(1001s + 1ms);  // it is ready, and time goes back while the worker takes it
    linger(n);
    sample(1s - n * 1us);  // before each call so far
    for (int i = 0; i < 2; ++i) ASSERT_LE(timer->time_until_trigger(), 1ms) << "in round " << n;
  }
}

TEST_F(TimerAndJumps, AJumpCallbackDropsATimerThatIsMakingAnother) {
  time().set_active(true);
  std::atomic<bool> runs{false};
  std::atomic<bool> jumps{false};
  std::atomic<bool> done{false};
  std::shared_ptr<Timer> timer = node->create_timer(1ms, [&] {
    if (runs.exchange(true)) return;
    while (!jumps.load()) std::this_thread::yield();
    const auto made = node->create_timer(1ms, [] {});
    done = true;
  });
  const auto handler = node->get_clock()->create_jump_callback({},
                                                               [&](const TimeJump&) {
                                                                 jumps = true;
                                                                 timer.reset();
                                                               },
                                                               {.min_backward = -1ns});
  spin();
  sample(1s);
  sample(1s + 1ms);
  while (!runs.load()) std::this_thread::yield();
  sample(1ms);
  while (!done.load()) std::this_thread::yield();
}

TEST_F(TimerAndJumps, NoneOfManyChangesOfTheSourceLeavesASlotOnTheOldOne) {
  const auto timer = node->create_timer(1ms, [](const TimerInfo& info) {
    EXPECT_LT(info.actual - info.expected, 60s)
        << "the slot of one source was taken at the time of the other";
  });
  spin();
  for (int n = 0; n < 5'000; ++n) {
    time().set_active(true);
    sample(1s);
    sample(1s + 1ms);
    linger(n);
    time().set_active(false);
    ASSERT_LE(timer->time_until_trigger(), 1ms) << "in round " << n;
  }
}

}  // namespace
}  // namespace takt
