// SPDX-License-Identifier: Apache-2.0
// The rules of ROS time, without timers (those are in simulated_timer_test.cpp).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/core/testing/no_allocation.hpp"
#include "takt/core/virtual_clock.hpp"
#include "takt/graph/ros_clock.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;
using Kind = TimeEvent::Kind;

ClockTime at(Duration d) { return ClockTime{d}; }

/// What a listener was told.
struct Ear : TimeListener {
  std::vector<TimeEvent> events;
  void time_changed(const TimeEvent& event) noexcept override { events.push_back(event); }
  Kind last() const { return events.back().kind; }
};

class RosTimeTest : public ::testing::Test {
 protected:
  void sample(Duration stamp) { time->set(at(stamp), wall->steady_now(), true); }

  std::shared_ptr<VirtualClock> wall =
      std::make_shared<VirtualClock>(VirtualClock::Advance::manual, SteadyTime{100s});
  std::shared_ptr<RosTime> time = std::make_shared<RosTime>(wall);
  std::shared_ptr<RosClock> clock = std::make_shared<RosClock>(time, wall);
};

TEST_F(RosTimeTest, IsTimeOfTheBaseUntilItIsActive) {
  EXPECT_EQ(clock->now(), at(100s));
  EXPECT_EQ(clock->kind(), ClockKind::steady);
  EXPECT_TRUE(clock->started());
  EXPECT_FALSE(clock->ros_time_is_active());
  sample(5s);  // nobody asked for it
  EXPECT_EQ(clock->now(), at(100s));
}

TEST_F(RosTimeTest, IsZeroAndNotStartedFromTheActivationToTheFirstSample) {
  time->set_active(true);
  EXPECT_TRUE(clock->ros_time_is_active());
  EXPECT_FALSE(clock->started());
  EXPECT_EQ(clock->now(), at(0s));
  EXPECT_EQ(clock->kind(), ClockKind::simulated);
  EXPECT_FALSE(clock->read().started);
  sample(0s);  // 0 means not started
  EXPECT_FALSE(clock->started());
  sample(3s);
  EXPECT_TRUE(clock->started());
  EXPECT_EQ(clock->now(), at(3s));
}

TEST_F(RosTimeTest, IsTheLastSampleAndNeverExtrapolated) {
  time->set_active(true);
  sample(3s);
  wall->advance(10s);
  EXPECT_EQ(clock->now(), at(3s));
  sample(3001ms);
  EXPECT_EQ(clock->now(), at(3001ms));
}

TEST_F(RosTimeTest, TheEpochMovesWithJumpsBackAndChangesOfTheSourceOnly) {
  const auto epoch = [&] { return clock->read().epoch; };
  const auto first = epoch();
  time->set_active(true);
  const auto active = epoch();
  EXPECT_NE(active, first);
  sample(3s);
  sample(4s);
  sample(100s);
  EXPECT_EQ(epoch(), active);
  sample(99s);
  const auto back = epoch();
  EXPECT_NE(back, active);
  time->set_active(false);
  EXPECT_NE(epoch(), back);
}

TEST_F(RosTimeTest, ASecondActivationStartsAnew) {
  time->set_active(true);
  sample(3s);
  time->set_active(false);
  time->set_active(true);
  EXPECT_FALSE(clock->started());
  EXPECT_EQ(clock->now(), at(0s));
}

TEST_F(RosTimeTest, AListenerHearsEachEventWhenTheNewTimeIsVisible) {
  const auto ear = std::make_shared<Ear>();
  time->add(ear);
  EXPECT_EQ(ear->last(), Kind::joined);
  time->set_active(true);
  EXPECT_EQ(ear->last(), Kind::source);
  sample(3s);
  EXPECT_EQ(ear->last(), Kind::sample);
  EXPECT_FALSE(ear->events.back().before.started);
  sample(3s);
  EXPECT_EQ(ear->last(), Kind::stands);
  const auto told = ear->events.size();
  sample(3s);  // stands still: nothing new
  EXPECT_EQ(ear->events.size(), told);
  sample(4s);
  EXPECT_EQ(ear->last(), Kind::sample);
  EXPECT_EQ(ear->events.back().after.stops, 1U);
  sample(2s);
  EXPECT_EQ(ear->last(), Kind::back);
  EXPECT_EQ(ear->events.back().before.now, at(4s));
  EXPECT_EQ(ear->events.back().after.now, at(2s));
  time->remove(*ear);
  sample(5s);
  EXPECT_EQ(ear->last(), Kind::back);
}

TEST_F(RosTimeTest, TheArrivalIsThatOfTheSampleThatMovedTime) {
  time->set_active(true);
  sample(3s);
  wall->advance(1s);
  sample(3s);
  EXPECT_EQ(time->state().arrival, SteadyTime{100s});
  sample(4s);
  EXPECT_EQ(time->state().arrival, SteadyTime{101s});
}

TEST_F(RosTimeTest, AStepTenTimesAsLongAsTheOneBeforeIsAJumpForward) {
  time->set_active(true);
  sample(1s);
  sample(1001ms);
  sample(1011ms);  // ten times: not yet
  EXPECT_EQ(time->state().jumped_to, at(0s));
  sample(1012ms);
  sample(1023ms);
  EXPECT_EQ(time->state().jumped_from, at(1012ms));
  EXPECT_EQ(time->state().jumped_to, at(1023ms));
  sample(1024ms);  // the usual step goes on: no new jump
  EXPECT_EQ(time->state().jumped_to, at(1023ms));
}

TEST_F(RosTimeTest, AStepOfManyYearsIsAJumpAsWell) {
  time->set_active(true);
  sample(1s);
  sample(2'000'000'000s);
  EXPECT_EQ(time->state().jumped_to, at(0s));  // there is no step before it to compare with
  sample(2'000'000'001s);
  sample(2'000'000'100s);
  EXPECT_EQ(time->state().jumped_to, at(2'000'000'100s));
}

TEST_F(RosTimeTest, AHandlerThatComesInBetweenHearsNeither) {
  int calls = 0;
  JumpHandler::SharedPtr late;
  const auto early = clock->create_jump_callback(
      [&] { late = clock->create_jump_callback({}, [&](const TimeJump&) { ++calls; }, {}); }, {}, {});
  time->set_active(true);
  EXPECT_EQ(calls, 0);
}

TEST_F(RosTimeTest, ALostSampleIsNoJump) {
  time->set_active(true);
  sample(1s);
  sample(1001ms);
  time->set(at(2s), wall->steady_now(), false);
  EXPECT_EQ(time->state().jumped_to, at(0s));
}

TEST_F(RosTimeTest, JumpCallbacksRunBeforeAndAfterTheNewTimeIsVisible) {
  std::vector<std::string> calls;
  const auto say = [&](const std::string& what) {
    calls.push_back(what + takt::to_string(clock->now() - at(0s)));
  };
  const auto handler = clock->create_jump_callback(
      [&] { say("before "); },
      [&](const TimeJump& jump) { say("after " + takt::to_string(jump.delta) + " "); },
      {.on_clock_change = true, .min_forward = 1s, .min_backward = -1ns});
  time->set_active(true);
  EXPECT_EQ(calls, (std::vector<std::string>{"before 100 s", "after 0 s 0 s"}));
  calls.clear();
  sample(5s);  // from 0, as in rcl
  sample(5500ms);
  EXPECT_EQ(calls, (std::vector<std::string>{"before 0 s", "after 5 s 5 s"}));
  calls.clear();
  sample(6500ms);  // exactly the threshold
  EXPECT_EQ(calls.size(), 2U);
  calls.clear();
  sample(6500ms - 1ns);
  EXPECT_EQ(calls.size(), 2U);
}

TEST_F(RosTimeTest, ChangesOfTheSourceAreJumpsWithoutDelta) {
  std::vector<TimeJump> jumps;
  const auto keep = [&](const TimeJump& jump) { jumps.push_back(jump); };
  const auto handler = clock->create_jump_callback({}, keep, {});
  const auto deaf =
      clock->create_jump_callback({}, [](const TimeJump&) { FAIL(); }, {.on_clock_change = false});
  time->set_active(true);
  time->set_active(true);  // it is already
  sample(5s);
  sample(1s);  // no threshold given: neither is heard
  time->set_active(false);
  ASSERT_EQ(jumps.size(), 2U);
  EXPECT_EQ(jumps[0].clock_change, ClockChange::ROS_TIME_ACTIVATED);
  EXPECT_EQ(jumps[1].clock_change, ClockChange::ROS_TIME_DEACTIVATED);
  EXPECT_EQ(jumps[0].delta, 0s);
  EXPECT_EQ(jumps[1].delta, 0s);
}

TEST_F(RosTimeTest, AThresholdOfTheWrongSignIsRefused) {
  EXPECT_THROW(clock->create_jump_callback({}, {}, {.min_forward = -1ns}), SetupError);
  EXPECT_THROW(clock->create_jump_callback({}, {}, {.min_backward = 1ns}), SetupError);
}

TEST_F(RosTimeTest, ADroppedJumpHandlerIsNotCalled) {
  int calls = 0;
  auto handler = clock->create_jump_callback([&] { ++calls; }, {}, {});
  handler.reset();
  time->set_active(true);
  EXPECT_EQ(calls, 0);
}

TEST_F(RosTimeTest, AJumpHandlerMayDropItselfAndMakeAnother) {
  int calls = 0;
  JumpHandler::SharedPtr first;
  JumpHandler::SharedPtr second;
  const auto count = [&](const TimeJump&) { ++calls; };
  first = clock->create_jump_callback({},
                                      [&](const TimeJump&) {
                                        first.reset();
                                        second = clock->create_jump_callback({}, count, {});
                                      },
                                      {});
  time->set_active(true);
  EXPECT_EQ(calls, 0);
  time->set_active(false);
  EXPECT_EQ(calls, 1);
}

TEST_F(RosTimeTest, AJumpCallbackMayWaitForAThreadThatJoinsAndLeaves) {
  int calls = 0;
  const auto handler = clock->create_jump_callback({},
                                                   [&](const TimeJump&) {
                                                     std::thread([&] {
                                                       const auto ear = std::make_shared<Ear>();
                                                       time->add(ear);
                                                       time->remove(*ear);
                                                       clock->create_jump_callback([&] { ++calls; }, {}, {});
                                                     }).join();
                                                   },
                                                   {});
  time->set_active(true);
  EXPECT_EQ(calls, 0);
}

TEST_F(RosTimeTest, WhatAJumpCallbackThrowsEndsNothing) {
  int calls = 0;
  const auto bad = clock->create_jump_callback([] { throw std::runtime_error("bad"); }, {}, {});
  const auto good = clock->create_jump_callback([&] { ++calls; }, {}, {});
  time->set_active(true);
  EXPECT_EQ(calls, 1);
}

TEST_F(RosTimeTest, AJumpCallbackMayNotChangeTheSource) {
  bool refused = false;
  const auto handler = clock->create_jump_callback({},
                                                   [&](const TimeJump&) {
                                                     try {
                                                       time->set_active(false);
                                                     } catch (const SetupError&) {
                                                       refused = true;
                                                     }
                                                   },
                                                   {});
  time->set_active(true);
  EXPECT_TRUE(refused);
  EXPECT_TRUE(clock->ros_time_is_active());
}

TEST_F(RosTimeTest, ASampleIsSetAndReadWithoutTheHeap) {
  const auto ear = std::make_shared<Ear>();
  ear->events.reserve(16);
  time->add(ear);
  time->set_active(true);
  const testing::NoAllocation guard;
  sample(3s);
  sample(4s);
  sample(4s);
  sample(1s);
  static_cast<void>(clock->read());
}

TEST_F(RosTimeTest, SleepUntilATimeThatIsThereReturnsAtOnce) {
  EXPECT_TRUE(clock->sleep_until(at(99s)));
  time->set_active(true);
  sample(5s);
  EXPECT_TRUE(clock->sleep_until(at(5s)));
  EXPECT_TRUE(clock->sleep_for(0s));
  EXPECT_TRUE(clock->wait_until_started());
}

TEST_F(RosTimeTest, NothingSleepsOnceTheContextHasEnded) {
  time->set_active(true);
  time->end();
  EXPECT_FALSE(clock->sleep_until(at(5s)));
  EXPECT_FALSE(clock->wait_until_started());
}

TEST_F(RosTimeTest, AChangeOfTheSourceIsSeenByOneWhoIsAboutToSleep) {
  time->set_active(true);
  sample(5s);
  const auto word = time->word();
  time->set_active(false);  // between its look at the time and its sleep
  EXPECT_NE(time->word(), word) << "it would sleep for ever";
}

TEST_F(RosTimeTest, SilenceWaitsForNoJumpCallback) {
  time->set_active(true);
  sample(5s);
  const auto handler = clock->create_jump_callback(
      {}, [&](const TimeJump&) { std::thread([&] { time->silence(); }).join(); }, {.min_forward = 1ns});
  sample(6s);
  EXPECT_FALSE(time->state().stands);
  time->silence();
  EXPECT_TRUE(time->state().stands);
}

}  // namespace
}  // namespace takt
