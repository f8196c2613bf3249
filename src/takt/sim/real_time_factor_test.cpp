// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/real_time_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace takt::sim {
namespace {

using namespace std::chrono_literals;

/// Gives samples one after the other.
struct FactorRun {
  explicit FactorRun(Duration window = 100ms) : factor(window) { factor.add(sim, wall, false); }
  void add(Duration sim_gained, Duration wall_gained, int times = 1) {
    for (int i = 0; i < times; ++i) {
      sim += sim_gained;
      wall += wall_gained;
      factor.add(sim, wall, sim_gained == 0ms);
    }
  }
  const Factors& now() const { return factor.factors(); }

  ClockTime sim{1s};
  SteadyTime wall{50s};
  RealTimeFactor factor;
};

TEST(RealTimeFactor, IsUnknownBeforeTheSecondSample) {
  const FactorRun run;
  EXPECT_TRUE(std::isnan(run.now().iteration));
  EXPECT_TRUE(std::isnan(run.now().window_min));
  EXPECT_TRUE(std::isnan(run.now().since_start));
  EXPECT_TRUE(std::isnan(run.now().gazebo));
}

TEST(RealTimeFactor, OfAnIterationAndSinceTheStart) {
  FactorRun run;
  run.add(1ms, 2ms);
  EXPECT_DOUBLE_EQ(run.now().iteration, 0.5);
  run.add(1ms, 500us);
  EXPECT_DOUBLE_EQ(run.now().iteration, 2);
  EXPECT_DOUBLE_EQ(run.now().since_start, 0.8);
  EXPECT_EQ(run.factor.sim_gained(), 2ms);
  EXPECT_EQ(run.factor.wall_gained(), 2500us);
}

TEST(RealTimeFactor, WindowsAreOfSamplesAtLeastTheWindowApart) {
  FactorRun run;
  run.add(30ms, 30ms, 3);
  EXPECT_EQ(run.now().windows, 0U);
  run.add(30ms, 30ms);  // 120 ms of each
  EXPECT_EQ(run.now().windows, 1U);
  EXPECT_DOUBLE_EQ(run.now().window, 1);
  run.add(25ms, 50ms, 2);
  EXPECT_DOUBLE_EQ(run.now().window, 0.5);
  run.add(300ms, 150ms);
  EXPECT_EQ(run.now().windows, 3U);
  EXPECT_DOUBLE_EQ(run.now().window, 2);
  EXPECT_DOUBLE_EQ(run.now().window_min, 0.5);
  EXPECT_DOUBLE_EQ(run.now().window_max, 2);
}

TEST(RealTimeFactor, WhatWasPausedIsLeftOutOfAllOfThem) {
  FactorRun run;
  run.add(1ms, 1ms, 40);
  run.add(0ms, 1ms, 5000);
  EXPECT_DOUBLE_EQ(run.now().iteration, 0);
  EXPECT_DOUBLE_EQ(run.now().since_start, 1);
  EXPECT_EQ(run.now().windows, 0U);
  run.add(1ms, 1ms, 60);
  EXPECT_DOUBLE_EQ(run.now().iteration, 1);
  EXPECT_DOUBLE_EQ(run.now().since_start, 1);
  EXPECT_EQ(run.now().windows, 1U);
  EXPECT_DOUBLE_EQ(run.now().window, 1);
  EXPECT_EQ(run.factor.wall_gained(), 100ms);
}

TEST(RealTimeFactor, AResetStartsAnew) {
  FactorRun run;
  run.add(1ms, 4ms, 100);
  run.factor.reset();
  run.sim = ClockTime{1s};
  run.factor.add(run.sim, run.wall, false);
  EXPECT_TRUE(std::isnan(run.now().window_min));
  run.add(1ms, 1ms, 100);
  EXPECT_DOUBLE_EQ(run.now().since_start, 1);
  EXPECT_DOUBLE_EQ(run.now().window_min, 1);
}

// The same by hand: delayed = 0.9 delayed + 0.1 new for both times, and the ratio of what each is ahead of
// it.
TEST(RealTimeFactor, GazebosPanelIsSmoothedInBothTimes) {
  FactorRun run(10s);
  double sim = 0;
  double wall = 0;
  double delayed_sim = 0;
  double delayed_wall = 0;
  for (const double rtf : {1.0, 1.0, 0.5, 0.5, 0.5, 2.0}) {
    run.add(std::chrono::duration_cast<Duration>(rtf * 100ms), 100ms);
    sim += rtf * 0.1;
    wall += 0.1;
    delayed_sim = 0.9 * delayed_sim + 0.1 * sim;
    delayed_wall = 0.9 * delayed_wall + 0.1 * wall;
    EXPECT_NEAR(run.now().gazebo, (sim - delayed_sim) / (wall - delayed_wall), 1e-9);
  }
  EXPECT_GT(run.now().gazebo, 0.5);
  EXPECT_LT(run.now().gazebo, 2);
  EXPECT_TRUE(std::isnan(run.now().window));
}

TEST(RealTimeFactor, ThePanelIsToldTenTimesASecond) {
  FactorRun run;
  run.add(1ms, 1ms, 99);
  EXPECT_TRUE(std::isnan(run.now().gazebo));
  run.add(1ms, 1ms);
  EXPECT_NEAR(run.now().gazebo, 1, 1e-12);
}

TEST(RealTimeFactor, TwoSamplesAtOneTimeDivideNothingByZero) {
  FactorRun run;
  run.add(1ms, 1ms);
  run.add(1ms, 0ns);
  EXPECT_DOUBLE_EQ(run.now().iteration, 1);
  run.add(1ms, 1ms);
  EXPECT_DOUBLE_EQ(run.now().since_start, 1.5);
}

}  // namespace
}  // namespace takt::sim
