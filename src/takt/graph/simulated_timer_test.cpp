// SPDX-License-Identifier: Apache-2.0
// Timers on simulated time, exactly: a simulator and a machine that move only when the executor waits.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "takt/graph/executor.hpp"
#include "takt/graph/simulated_world_test_support.hpp"
#include "takt/graph/test_support.hpp"
#include "takt/graph/timer_executable.hpp"
#include "takt/timing/verdict.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

ClockTime sim_at(Duration d) { return ClockTime{d}; }

struct Call {
  Duration expected, actual;
  std::int64_t skipped;
  friend bool operator==(const Call&, const Call&) = default;
};

/// A node on simulated time; its samples come from the world, not from a topic.
class SimulatedTimer : public ::testing::Test {
 protected:
  void simulate(SimulatedWorld::Options options = {}, bool sim_time = true) {
    world = std::make_shared<SimulatedWorld>(options);
    context = testing::quiet_context(world);
    node = std::make_shared<Node>(
        "node",
        NodeOptions{.context = context, .use_sim_time = sim_time, .clock_thread = ClockThread::shared});
    executor = std::make_unique<Executor>(ExecutorOptions{.context = context});
    executor->add_node(node);
  }
  void start_simulator() {
    world->deliver_to([this](ClockTime sample, SteadyTime now) { time().set(sample, now, true); });
  }
  RosTime& time() const { return node->get_clock()->time(); }
  Timer::SharedPtr make_timer(Duration period, const TimerOptions& options = {}) {
    return node->create_timer(
        period,
        [this](const TimerInfo& info) {
          calls.push_back({info.expected - sim_at(0s), info.actual - sim_at(0s), info.skipped});
          if (body) body();
        },
        options);
  }
  void spin_for(Duration wall) {
    const auto end = node->create_wall_timer(wall, [this] { executor->cancel(); });
    executor->spin();
  }
  timing::Verdict verdict(const Timer& timer) const { return context->monitor().verdict(timer.section()); }

  std::shared_ptr<SimulatedWorld> world;
  std::shared_ptr<Context> context;
  std::shared_ptr<Node> node;
  std::unique_ptr<Executor> executor;
  std::function<void()> body;
  std::vector<Call> calls;
};

TEST_F(SimulatedTimer, StartsItsGridWhenTimeStarts) {
  simulate();
  const auto timer = make_timer(10ms);
  EXPECT_EQ(timer->time_until_trigger(), Duration::max());
  spin_for(5s);
  EXPECT_TRUE(calls.empty());  // no simulator yet
  EXPECT_EQ(verdict(*timer).clock_state, timing::ClockState::not_started);
  EXPECT_EQ(verdict(*timer).reason, "simulated time has not started: no /clock came");
  start_simulator();
  spin_for(25ms);
  EXPECT_EQ(calls, (std::vector<Call>{{1010ms, 1010ms, 0}, {1020ms, 1020ms, 0}}));
  EXPECT_EQ(verdict(*timer).judgement, timing::Judgement::met);
  EXPECT_EQ(verdict(*timer).clock, ClockKind::simulated);
}

TEST_F(SimulatedTimer, FollowsTheFactorOfTheSimulation) {
  simulate({.rtf = 0.5});
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(1s + 1ms);
  EXPECT_EQ(calls.size(), 49U);  // half a second of simulated time, less the first sample's step
  const auto judged = verdict(*timer);
  EXPECT_EQ(judged.interval.max, 20ms);  // of wall time
  EXPECT_EQ(judged.lateness.max, 0ms);
  EXPECT_EQ(judged.misses, 0U);
}

TEST_F(SimulatedTimer, RunsOnceWhereTheStepOfTheClockIsCoarserThanItsPeriod) {
  simulate({.step = 25ms});
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(101ms);  // samples at 1000, 1025, 1050 and 1075 ms
  EXPECT_EQ(calls, (std::vector<Call>{{1010ms, 1025ms, 1}, {1030ms, 1050ms, 2}, {1060ms, 1075ms, 1}}));
  EXPECT_EQ(verdict(*timer).skips, 4U);
}

TEST_F(SimulatedTimer, APausedSimulationReleasesNothingAndTheFirstOneAfterItIsExcluded) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(35ms);
  world->pause(true);
  spin_for(100ms);
  EXPECT_EQ(verdict(*timer).clock_state, timing::ClockState::stands);
  EXPECT_EQ(calls.size(), 3U);
  world->pause(false);
  spin_for(30ms);
  EXPECT_EQ(calls.size(), 6U);
  const auto judged = verdict(*timer);
  EXPECT_EQ(judged.excluded_paused, 1U);
  EXPECT_EQ(judged.activations, 6U);
  EXPECT_EQ(judged.judged, 5U);
  EXPECT_EQ(judged.interval.max, 10ms);  // not the pause
  EXPECT_EQ(judged.judgement, timing::Judgement::met);
  EXPECT_EQ(judged.clock_state, timing::ClockState::runs);
}

TEST_F(SimulatedTimer, AJumpForwardGivesOneExcludedCallAndTheRestIsDropped) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(15ms);
  world->jump_to(sim_at(5s));
  spin_for(20ms);
  EXPECT_EQ(calls, (std::vector<Call>{{1010ms, 1010ms, 0}, {1020ms, 5000ms, 398}, {5010ms, 5010ms, 0}}));
  const auto judged = verdict(*timer);
  EXPECT_EQ(judged.excluded_jumped, 399U);  // the call and the slots that nobody lived through
  EXPECT_EQ(judged.skips, 0U);
  EXPECT_EQ(judged.misses, 0U);
  EXPECT_EQ(judged.judgement, timing::Judgement::met);
}

TEST_F(SimulatedTimer, AJumpBackBeforeTheLastCallStartsTheGridAnew) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(35ms);
  world->jump_to(sim_at(2ms));
  calls.clear();
  spin_for(25ms);
  EXPECT_EQ(calls, (std::vector<Call>{{12ms, 12ms, 0}, {22ms, 22ms, 0}}));
}

TEST_F(SimulatedTimer, AJumpBackBeforeAResetStartsTheGridAnewThoughTheLastCallWasEarlier) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(12ms);  // called at 1010, now 1011
  timer->cancel();
  world->jump_to(sim_at(5s));
  spin_for(1ms);
  timer->reset();              // the next slot would be 5.01 s
  world->jump_to(sim_at(2s));  // after the last call, before the reset
  calls.clear();
  spin_for(25ms);
  EXPECT_EQ(calls, (std::vector<Call>{{2010ms, 2010ms, 0}, {2020ms, 2020ms, 0}}));
}

TEST_F(SimulatedTimer, AJumpBackBeforeAResetOfOneThatNeverRanStartsItsGridAnew) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms, {.autostart = false});
  world->jump_to(sim_at(5s));
  spin_for(1ms);
  timer->reset();
  world->jump_to(sim_at(2s));
  spin_for(15ms);
  EXPECT_EQ(calls, (std::vector<Call>{{2010ms, 2010ms, 0}}));
}

TEST_F(SimulatedTimer, ASmallerJumpBackLeavesTheSlotWhereItIs) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(15ms);  // called at 1010, now 1014
  world->jump_to(sim_at(1011ms));
  calls.clear();
  spin_for(12ms);
  EXPECT_EQ(calls, (std::vector<Call>{{1020ms, 1020ms, 0}}));
}

TEST_F(SimulatedTimer, WhatWasReadyBeforeAJumpBackIsDroppedAndCounted) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  // Another callback holds the thread until the slot at 1020 has come and time has gone back.
  const auto blocker = node->create_wall_timer(15ms, [this, first = true]() mutable {
    if (!std::exchange(first, false)) return;
    world->sleep_for(8ms);
    world->jump_to(sim_at(500ms));
    world->sleep_for(2ms);
  });
  spin_for(40ms);
  EXPECT_EQ(calls, (std::vector<Call>{{1010ms, 1010ms, 0}, {510ms, 510ms, 0}}));
  EXPECT_EQ(verdict(*timer).excluded_jumped, 1U);
}

TEST_F(SimulatedTimer, AResetToTheStartGoesOnFromThere) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  spin_for(35ms);
  world->jump_to(sim_at(1s));
  calls.clear();
  spin_for(12ms);
  EXPECT_EQ(calls, (std::vector<Call>{{1010ms, 1010ms, 0}}));
}

TEST_F(SimulatedTimer, AChangeOfTheSourceKeepsWhatWasLeft) {
  simulate({}, false);
  const auto timer = make_timer(100ms);
  spin_for(70ms);  // 30 ms are left
  time().set_active(true);
  start_simulator();
  spin_for(40ms);  // time starts at 1 s
  EXPECT_EQ(calls, (std::vector<Call>{{1030ms, 1030ms, 0}}));
  time().set_active(false);  // 9 ms of 100 have passed since
  world->silence();
  calls.clear();
  const auto before = world->steady_now();
  spin_for(100ms);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].actual - before.time_since_epoch(), 91ms);
  EXPECT_EQ(verdict(*timer).misses, 0U);
  EXPECT_EQ(verdict(*timer).clock, ClockKind::steady);
}

TEST_F(SimulatedTimer, ResetAndCancelWorkAsOnAnyClock) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms, {.autostart = false});
  spin_for(30ms);
  EXPECT_TRUE(calls.empty());
  EXPECT_TRUE(timer->is_canceled());
  timer->reset();  // now it is 1029 ms
  spin_for(11ms);
  EXPECT_EQ(calls, (std::vector<Call>{{1039ms, 1039ms, 0}}));
  timer->cancel();
  spin_for(30ms);
  EXPECT_EQ(calls.size(), 1U);
}

TEST_F(SimulatedTimer, ATimerThatIsResetBeforeTimeStartsWaitsForIt) {
  simulate();
  const auto timer = make_timer(10ms, {.autostart = false});
  timer->reset();
  EXPECT_FALSE(timer->is_canceled());
  start_simulator();
  spin_for(12ms);
  EXPECT_EQ(calls.size(), 1U);
}

TEST_F(SimulatedTimer, CatchUpRunsEachSlotOfACoarseStep) {
  simulate({.step = 25ms});
  start_simulator();
  const auto timer = make_timer(10ms, {.overrun = OverrunPolicy::catch_up});
  spin_for(76ms);
  EXPECT_EQ(calls, (std::vector<Call>{{1010ms, 1025ms, 0},
                                      {1020ms, 1025ms, 0},
                                      {1030ms, 1050ms, 0},
                                      {1040ms, 1050ms, 0},
                                      {1050ms, 1050ms, 0}}));
}

TEST_F(SimulatedTimer, AWallTimerStaysOnTheMonotonicClock) {
  simulate();
  int ticks = 0;
  const auto wall = node->create_wall_timer(10ms, [&] { ++ticks; });
  spin_for(101ms);
  EXPECT_EQ(ticks, 10);
}

TEST_F(SimulatedTimer, BothStartsAreRecordedAndTheWakeLatencyRunsFromTheArrivalOfTheSample) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  const auto blocker = node->create_wall_timer(15ms, [this, first = true]() mutable {
    if (std::exchange(first, false)) world->sleep_for(9ms);
  });
  spin_for(60ms);
  const auto judged = verdict(*timer);
  EXPECT_EQ(calls[1], (Call{1020ms, 1023ms, 0}));  // 9 ms from the sample 1014 on
  EXPECT_EQ(judged.lateness.max, 3ms);             // on the clock of the timer
  EXPECT_EQ(judged.wake_latency.max, 3ms);         // monotonic
  EXPECT_EQ(judged.wake_latency.count, judged.judged);
}

TEST_F(SimulatedTimer, AMissBecauseAnotherCallbackHeldTheThreadNamesIt) {
  simulate();
  start_simulator();
  const auto timer = make_timer(10ms);
  const auto blocker = node->create_wall_timer(
      15ms,
      [this, first = true]() mutable {
        if (std::exchange(first, false)) world->sleep_for(20ms);
      },
      nullptr);
  spin_for(60ms);
  const auto judged = verdict(*timer);
  ASSERT_EQ(judged.last_misses.size(), 1U);
  EXPECT_EQ(judged.last_misses[0].cause, timing::Cause::blocked_by);
}

TEST_F(SimulatedTimer, ANodeCanBePutOnSimulatedTimeByTheContext) {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  options.clock = std::make_shared<SimulatedWorld>();
  options.use_sim_time = true;
  const auto own = Context::make(options);
  const Node on("on", NodeOptions{.context = own, .clock_thread = ClockThread::shared});
  const Node off("off", NodeOptions{.context = own, .use_sim_time = false});
  EXPECT_TRUE(on.get_clock()->ros_time_is_active());
  EXPECT_FALSE(off.get_clock()->ros_time_is_active());
}

/// Hears of a jump before the timer does, and asks what a worker would ask.
struct EarlyListener : TimeListener {
  void time_changed(const TimeEvent& event) noexcept override {
    if (event.kind == TimeEvent::Kind::back) had_work = timer->has_work();
  }
  std::shared_ptr<TimerExecutable> timer;
  std::optional<bool> had_work;
};

TEST_F(SimulatedTimer, ThatHasNotHeardOfAJumpYetKeepsNoWorkerBusy) {
  simulate();
  const auto early = std::make_shared<EarlyListener>();
  time().add(early);
  timing::SectionOptions section;
  section.name = "timer";
  early->timer =
      std::make_shared<TimerExecutable>(context->monitor(), context->monitor().add(section), 10ms,
                                        TimerOptions{}, node->get_clock(), [](const TimerInfo&) {});
  time().add(early->timer);
  for (const auto stamp : {1000ms, 1015ms}) time().set(sim_at(stamp), world->steady_now(), true);
  EXPECT_TRUE(early->timer->has_work());
  time().set(sim_at(1012ms), world->steady_now(), true);  // its slot of 1010 ms is still due
  EXPECT_EQ(early->had_work, false) << "a real-time worker would keep the news from it for ever";
  EXPECT_TRUE(early->timer->has_work());
  time().remove(*early->timer);  // as the handle of a timer does: each holds the other
  time().remove(*early);
}

}  // namespace
}  // namespace takt
