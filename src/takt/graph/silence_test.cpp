// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/silence.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace takt {
namespace {

using std::chrono::milliseconds;

constexpr auto kNobody = SteadyTime::min();
SteadyTime at_ms(int ms) { return SteadyTime{milliseconds{ms}}; }

struct SilenceTest : ::testing::Test {
  Silence silence{milliseconds{10}};
};

TEST_F(SilenceTest, CountsNothingBeforeItHasBegun) {
  silence.heard(at_ms(0), true);
  silence.heard(at_ms(100), true);
  silence.look(at_ms(200), kNobody);
  EXPECT_EQ(silence.take(), 0U);
  EXPECT_EQ(silence.next_look(kNobody), kNever);
  EXPECT_TRUE(silence.begin(at_ms(200)));
  EXPECT_FALSE(silence.begin(at_ms(300)));
  EXPECT_EQ(silence.next_look(kNobody), at_ms(210) + Duration{1});
}

TEST_F(SilenceTest, AMessageAtTheDeadlineIsInTimeAndOneJustAfterIsNot) {
  silence.begin(at_ms(0));
  silence.look(at_ms(10), kNobody);
  silence.heard(at_ms(10), true);
  EXPECT_EQ(silence.take(), 0U);
  silence.heard(at_ms(20) + Duration{1}, true);
  EXPECT_EQ(silence.take(), 1U);
}

TEST_F(SilenceTest, EachPeriodIsCountedOnceByWhoeverFindsIt) {
  silence.begin(at_ms(0));
  silence.look(at_ms(25), kNobody);
  EXPECT_EQ(silence.take(), 2U);
  EXPECT_EQ(silence.take(), 0U);
  EXPECT_EQ(silence.next_look(kNobody), at_ms(30) + Duration{1});
  silence.heard(at_ms(35), true);
  silence.look(at_ms(36), kNobody);
  EXPECT_EQ(silence.take(), 1U);
  EXPECT_EQ(silence.next_look(kNobody), at_ms(45) + Duration{1});
}

TEST_F(SilenceTest, AnOlderMessageChangesNothing) {
  silence.begin(at_ms(0));
  silence.heard(at_ms(8), true);
  silence.heard(at_ms(5), true);
  EXPECT_EQ(silence.next_look(kNobody), at_ms(18) + Duration{1});
}

TEST_F(SilenceTest, OneOfUnknownOrderEndsASilenceUncounted) {
  silence.begin(at_ms(0));
  silence.heard(at_ms(35), false);
  silence.look(at_ms(45), kNobody);
  EXPECT_EQ(silence.take(), 0U);
  silence.look(at_ms(46), kNobody);
  EXPECT_EQ(silence.take(), 1U);
}

TEST_F(SilenceTest, AMessageThatIsOnlyKnownOfEndsItToo) {
  silence.begin(at_ms(0));
  silence.look(at_ms(25), at_ms(18));
  EXPECT_EQ(silence.take(), 0U) << "what was between is said by those that will be heard";
  EXPECT_EQ(silence.next_look(at_ms(18)), at_ms(28) + Duration{1});
  silence.look(at_ms(29), at_ms(18));
  EXPECT_EQ(silence.take(), 1U);
}

TEST_F(SilenceTest, ALateLookLeavesTheGapsToTheMessagesThatAreStillBeingHeard) {
  silence.begin(at_ms(0));
  const auto newest = at_ms(85);  // sent at 25 and 85; the executor comes to it at 100
  EXPECT_FALSE(silence.look(at_ms(100), newest));
  silence.heard(at_ms(25), true);
  EXPECT_FALSE(silence.look(at_ms(110), newest)) << "one more was heard";
  silence.heard(newest, true);
  EXPECT_EQ(silence.take(), 2U + 5U);
  EXPECT_TRUE(silence.look(at_ms(120), newest));
  EXPECT_EQ(silence.take(), 3U);
}

TEST_F(SilenceTest, AMessageThatIsNeverHeardHidesNoSilenceForEver) {
  silence.begin(at_ms(0));
  EXPECT_FALSE(silence.look(at_ms(100), at_ms(85)));
  EXPECT_TRUE(silence.look(at_ms(110), at_ms(85)));
  EXPECT_EQ(silence.take(), 2U);
}

TEST_F(SilenceTest, WhatPassedBeforeItBeginsAnewIsNotCounted) {
  silence.begin_anew(at_ms(5));
  EXPECT_FALSE(silence.begun());
  silence.begin(at_ms(10));
  silence.begin_anew(at_ms(100));
  silence.look(at_ms(110), kNobody);
  EXPECT_EQ(silence.take(), 0U);
}

TEST(SilenceLimits, TheLongestDeadlineNeverComes) {
  Silence silence{Duration::max() - Duration{1}};
  silence.begin(at_ms(1));
  EXPECT_EQ(silence.next_look(kNobody), kNever);
  silence.look(at_ms(1000), kNobody);
  EXPECT_EQ(silence.take(), 0U);
}

}  // namespace
}  // namespace takt
