// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/rate.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/core/virtual_clock.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// Wall time that sleeping advances.
class RateTest : public ::testing::Test {
 protected:
  Duration elapsed() const { return wall->steady_now() - start; }

  std::shared_ptr<VirtualClock> wall = std::make_shared<VirtualClock>(VirtualClock::Advance::automatic);
  std::shared_ptr<RosTime> time = std::make_shared<RosTime>(wall);
  RosClock::SharedPtr clock = std::make_shared<RosClock>(time, wall);
  SteadyTime start = wall->steady_now();
};

TEST_F(RateTest, KeepsItsPhaseWhateverTheWorkTakes) {
  Rate rate(100.0, clock);
  for (int i = 1; i <= 5; ++i) {
    wall->advance(i * 1ms);
    EXPECT_TRUE(rate.sleep());
    EXPECT_EQ(elapsed(), i * 10ms);
  }
}

TEST_F(RateTest, ALateSleepReturnsFalseAtOnceAndKeepsThePhase) {
  Rate rate(10ms, clock);
  wall->advance(13ms);
  EXPECT_FALSE(rate.sleep());
  EXPECT_EQ(elapsed(), 13ms);
  EXPECT_TRUE(rate.sleep());
  EXPECT_EQ(elapsed(), 20ms);
}

TEST_F(RateTest, MoreThanAPeriodTooLateItAnchorsAnew) {
  Rate rate(10ms, clock);
  wall->advance(35ms);
  EXPECT_FALSE(rate.sleep());
  EXPECT_TRUE(rate.sleep());
  EXPECT_EQ(elapsed(), 45ms);
}

TEST_F(RateTest, ResetStartsAPeriodFromNow) {
  Rate rate(10ms, clock);
  wall->advance(7ms);
  rate.reset();
  EXPECT_TRUE(rate.sleep());
  EXPECT_EQ(elapsed(), 17ms);
}

TEST_F(RateTest, ARateOrPeriodThatIsNotAboveZeroIsRefused) {
  EXPECT_THROW(Rate(0.0), SetupError);
  EXPECT_THROW(Rate(-1.0), SetupError);
  EXPECT_THROW(Rate{std::numeric_limits<double>::quiet_NaN()}, SetupError);
  EXPECT_THROW(Rate(Duration{0}), SetupError);
  EXPECT_THROW(Rate(Duration{-1}), SetupError);
}

TEST(WallRateTest, NeverSleepsTooShort) {
  const auto start = SteadyClock::instance()->steady_now();
  WallRate rate(2ms);
  for (int i = 0; i < 3; ++i) rate.sleep();
  EXPECT_GE(SteadyClock::instance()->steady_now() - start, 6ms);
}

}  // namespace
}  // namespace takt
