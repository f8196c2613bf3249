// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/world_clock.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "takt/core/error.hpp"

namespace takt::sim {
namespace {

using namespace std::chrono_literals;

ClockTime at(Duration d) { return ClockTime{d}; }

void advance(WorldClock& clock, int n) {
  for (int i = 0; i < n; ++i) clock.advance();
}

TEST(WorldClock, TheFirstIterationShowsTheStart) {
  WorldClock clock({});
  EXPECT_FALSE(clock.advance());
  EXPECT_EQ(clock.now(), at(1s));
  EXPECT_TRUE(clock.advance());
  EXPECT_EQ(clock.now(), at(1s + 1ms));
}

TEST(WorldClock, PausedItRepeatsItselfUntilItIsResumed) {
  WorldClock clock({.paused = true});
  advance(clock, 5);
  EXPECT_EQ(clock.now(), at(1s));
  EXPECT_EQ(clock.resume(), Refusal::none);
  advance(clock, 5);
  EXPECT_EQ(clock.now(), at(1s + 5ms));
  EXPECT_EQ(clock.pause(), Refusal::none);
  EXPECT_EQ(clock.pause(), Refusal::none);
  EXPECT_FALSE(clock.advance());
  EXPECT_EQ(clock.now(), at(1s + 5ms));
}

TEST(WorldClock, StepsMoveItSoManyTimesAndNoMore) {
  WorldClock clock({.paused = true});
  clock.advance();
  EXPECT_EQ(clock.step(3), Refusal::none);
  EXPECT_EQ(clock.state(), WorldState::stepping);
  advance(clock, 2);
  EXPECT_EQ(clock.steps_left(), 1U);
  advance(clock, 8);
  EXPECT_EQ(clock.now(), at(1s + 3ms));
  EXPECT_TRUE(clock.paused());
  EXPECT_EQ(clock.steps_left(), 0U);
}

TEST(WorldClock, OnlyAPausedClockIsStepped) {
  WorldClock clock({});
  EXPECT_EQ(clock.step(1), Refusal::not_paused);
  clock.pause();
  EXPECT_EQ(clock.step(0), Refusal::bad_steps);
  EXPECT_EQ(clock.step(std::numeric_limits<std::uint64_t>::max()), Refusal::bad_steps);
  EXPECT_TRUE(clock.paused());
  EXPECT_EQ(clock.step(kMostSteps), Refusal::none);
  EXPECT_EQ(clock.step(1), Refusal::not_paused);
}

TEST(WorldClock, RunsToATimeAndPausesThereExactly) {
  WorldClock clock({.step = 10ms});
  clock.advance();
  EXPECT_EQ(clock.run_to(at(1s + 25ms)), Refusal::none);
  EXPECT_EQ(clock.state(), WorldState::running_to);
  advance(clock, 10);
  EXPECT_EQ(clock.now(), at(1s + 25ms));
  EXPECT_TRUE(clock.paused());
  EXPECT_EQ(clock.run_to(at(1s + 24ms)), Refusal::in_the_past);
  EXPECT_EQ(clock.run_to(at(-1s)), Refusal::in_the_past);
  EXPECT_EQ(clock.run_to(ClockTime::max()), Refusal::bad_time);
  EXPECT_EQ(clock.run_to(at(1s + 25ms)), Refusal::none);  // there already
  EXPECT_TRUE(clock.paused());
}

TEST(WorldClock, ResumingOrPausingForgetsWhereToRunTo) {
  WorldClock clock({});
  clock.advance();
  clock.run_to(at(1s + 2ms));
  clock.resume();
  advance(clock, 5);
  EXPECT_EQ(clock.now(), at(1s + 5ms));
  clock.run_to(at(1s + 7ms));
  clock.pause();
  clock.resume();
  advance(clock, 5);
  EXPECT_EQ(clock.now(), at(1s + 10ms));
}

TEST(WorldClock, AResetKeepsWhetherItRuns) {
  WorldClock clock({});
  advance(clock, 5);
  clock.reset();
  EXPECT_EQ(clock.now(), at(1s));
  EXPECT_EQ(clock.state(), WorldState::running);
  advance(clock, 2);
  EXPECT_EQ(clock.now(), at(1s + 1ms));
  clock.pause();
  clock.step(5);
  clock.advance();
  clock.reset();
  EXPECT_TRUE(clock.paused());
  advance(clock, 3);
  EXPECT_EQ(clock.now(), at(1s));
  clock.run_to(at(1s + 2ms));
  clock.advance();
  clock.reset();
  EXPECT_EQ(clock.state(), WorldState::running_to);
  advance(clock, 9);
  EXPECT_EQ(clock.now(), at(1s + 2ms));
}

TEST(WorldClock, AtTheEndOfTimeItPauses) {
  WorldClock clock({.step = 10s, .start = kLastTime - 15s});
  advance(clock, 10);
  EXPECT_EQ(clock.now(), kLastTime);
  EXPECT_TRUE(clock.paused());
  clock.resume();
  EXPECT_FALSE(clock.advance());
  EXPECT_TRUE(clock.paused());
}

TEST(WorldClock, OptionsThatCannotBeAreRefusedByName) {
  EXPECT_THROW(WorldClock({.step = 0ms}), SetupError);
  EXPECT_THROW(WorldClock({.step = -1ms}), SetupError);
  EXPECT_THROW(WorldClock({.start = at(0s)}), SetupError);
  EXPECT_THROW(WorldClock({.start = kLastTime + 1ns}), SetupError);
  EXPECT_THROW(WorldClock({.rtf = std::nan("")}), SetupError);
  EXPECT_THROW(WorldClock({.rtf = -1}), SetupError);
  EXPECT_THROW(WorldClock({.rtf = 1e7}), SetupError);
  EXPECT_TRUE(is_factor(0) && is_factor(1e-9) && is_factor(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(is_factor(-std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace takt::sim
