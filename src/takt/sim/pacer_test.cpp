// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/pacer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace takt::sim {
namespace {

using namespace std::chrono_literals;

SteadyTime pacer_time(Duration d) { return SteadyTime{100s + d}; }

TEST(Pacer, AWallStepIsTheStepOverTheFactor) {
  EXPECT_EQ(Pacer(1ms, 1).wall_step(), 1ms);
  EXPECT_EQ(Pacer(1ms, 0.5).wall_step(), 2ms);
  EXPECT_EQ(Pacer(1ms, 4).wall_step(), 250us);
  EXPECT_EQ(Pacer(1ms, 3).wall_step(), 333'333ns);
  EXPECT_EQ(Pacer(1ns, 1000).wall_step(), 1ns);
  EXPECT_EQ(Pacer(kLongestDuration, 1e-9).wall_step(), kLongestDuration);
}

TEST(Pacer, InTimeTheTargetsKeepTheirGrid) {
  Pacer pacer(1ms, 1);
  pacer.start(pacer_time(0ms));
  EXPECT_EQ(pacer.target(), pacer_time(0ms));
  for (int i = 1; i <= 5; ++i) {
    pacer.advance(pacer.target() + 300us);
    EXPECT_EQ(pacer.target(), pacer_time(i * 1ms));
  }
  EXPECT_EQ(pacer.late(), 0U);
}

TEST(Pacer, UpToOneWallStepBehindIsMadeUp) {
  Pacer pacer(1ms, 1);
  pacer.start(pacer_time(0ms));
  pacer.advance(pacer_time(2ms));  // the next target is a whole step ago, no more
  EXPECT_EQ(pacer.target(), pacer_time(1ms));
  EXPECT_EQ(pacer.late(), 0U);
  EXPECT_EQ(pacer.dropped(), 0ms);
}

TEST(Pacer, FurtherBehindItBeginsAnewAndCountsWhatIsDropped) {
  Pacer pacer(1ms, 1);
  pacer.start(pacer_time(0ms));
  pacer.advance(pacer_time(2ms + 1ns));
  EXPECT_EQ(pacer.target(), pacer_time(2ms + 1ns));
  EXPECT_EQ(pacer.late(), 1U);
  EXPECT_EQ(pacer.dropped(), 1ms + 1ns);
  pacer.advance(pacer_time(22ms));
  EXPECT_EQ(pacer.late(), 2U);
  EXPECT_EQ(pacer.dropped(), 20ms);
  pacer.advance(pacer_time(22ms));
  EXPECT_EQ(pacer.target(), pacer_time(23ms));
}

TEST(Pacer, FlatOutIsAlwaysDueAndNeverLate) {
  for (const double rtf : {0.0, 0.9e-9, std::numeric_limits<double>::infinity()}) {
    Pacer pacer(1ms, rtf);
    EXPECT_TRUE(pacer.flat_out());
    EXPECT_EQ(pacer.rtf(), 0);
    pacer.start(pacer_time(0ms));
    pacer.advance(pacer_time(5s));
    EXPECT_EQ(pacer.target(), pacer_time(5s));
    EXPECT_EQ(pacer.late(), 0U);
  }
  EXPECT_FALSE(Pacer(1ms, 1e-9).flat_out());
}

TEST(Pacer, WhileTimeStandsFlatOutWaits) {
  Pacer pacer(1h, 0);
  pacer.start(pacer_time(0ms));
  pacer.advance(pacer_time(0ms), true);
  EXPECT_EQ(pacer.target(), pacer_time(1ms));
  EXPECT_EQ(Pacer(1us, 0).wall_step(true), 1ms);
  EXPECT_EQ(Pacer(1us, 1).wall_step(true), 1us);
}

TEST(Pacer, ANewFactorCountsFromTheLastTarget) {
  Pacer pacer(1ms, 0.001);
  pacer.start(pacer_time(0ms));
  pacer.advance(pacer_time(1us));
  EXPECT_EQ(pacer.target(), pacer_time(1s));
  pacer.set_rtf(0.1, pacer_time(4ms));
  EXPECT_EQ(pacer.target(), pacer_time(10ms));
  pacer.set_rtf(0.5, pacer_time(4ms));  // past already: at once, and nothing was late
  EXPECT_EQ(pacer.target(), pacer_time(4ms));
  EXPECT_EQ(pacer.late(), 0U);
}

TEST(Pacer, BeforeTheFirstIterationANewFactorMovesNothing) {
  Pacer pacer(1ms, 1);
  pacer.start(pacer_time(0ms));
  pacer.set_rtf(0.01, pacer_time(0ms));
  EXPECT_EQ(pacer.target(), pacer_time(0ms));
  pacer.advance(pacer_time(0ms));
  EXPECT_EQ(pacer.target(), pacer_time(100ms));
}

}  // namespace
}  // namespace takt::sim
