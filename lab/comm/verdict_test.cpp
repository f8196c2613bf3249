// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "lab/comm/verdict.hpp"

namespace takt::lab::comm {
namespace {

using testing::HasSubstr;

TEST(CommVerdict, AWholeIntervalBelowOneIsAheadAndAboveBehind) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0);
  EXPECT_EQ(standing_of({eight}, {ten}, {ten, ten}).standing, Standing::ahead);
  EXPECT_EQ(standing_of({ten}, {eight}, {ten, ten}).standing, Standing::behind);
  EXPECT_DOUBLE_EQ(standing_of({eight}, {ten}, {ten, ten}).ratio, 0.8);
}

TEST(CommVerdict, ADifferenceThatTheFloorHasFromItselfIsNone) {
  const std::vector<double> ten(9, 10.0), nine(9, 9.0), eight(9, 8.0), again(9, 11.5);
  EXPECT_EQ(standing_of({nine}, {ten}, {ten, again}).standing, Standing::level);
  EXPECT_EQ(standing_of({ten}, {nine}, {ten, again}).standing, Standing::level);
  EXPECT_EQ(standing_of({eight}, {ten}, {ten, again}).standing, Standing::ahead);
}

TEST(CommVerdict, AnIntervalAroundOneIsLevelOrUndecided) {
  const std::vector<double> ten(9, 10.0);
  const std::vector<double> near = {9, 11, 9, 11, 9, 11, 9, 11, 10};
  const std::vector<double> wide = {5, 20, 5, 20, 5, 20, 5, 20, 10};
  EXPECT_EQ(standing_of({near}, {ten}, {ten, ten}).standing, Standing::level);
  EXPECT_EQ(standing_of({wide}, {ten}, {ten, ten}).standing, Standing::not_judged);
  EXPECT_THAT(standing_of({wide}, {ten}, {ten, ten}).reason, HasSubstr("undecided"));
}

TEST(CommVerdict, WhatCannotBeComparedIsNotJudgedAndSaysWhy) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0), few(8, 10.0);
  const auto why = [&](const Compared& takt, const Compared& other, const std::vector<double>& again) {
    const auto result = standing_of(takt, other, {ten, again});
    EXPECT_EQ(result.standing, Standing::not_judged);
    return result.reason;
  };
  EXPECT_THAT(why({eight}, {.round_means_us = ten, .saturated = true}, ten), HasSubstr("takt does"));
  EXPECT_THAT(
      why({.round_means_us = eight, .saturated = true}, {.round_means_us = ten, .saturated = true}, ten),
      HasSubstr("neither"));
  EXPECT_THAT(why({eight}, {.round_means_us = ten, .measured = false}, ten), HasSubstr("every round"));
  EXPECT_THAT(why({few}, {few}, ten), HasSubstr("8 rounds are too few"));
  EXPECT_THAT(why({eight}, {ten}, {}), HasSubstr("not run against itself"));
  EXPECT_THAT(why({eight}, {ten}, std::vector<double>(9, 13.0)), HasSubstr("differs from itself by 1.30"));
}

TEST(CommVerdict, ARateThatTaktAloneMissesIsBehindWhateverTheNoise) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0);
  const auto result = standing_of({.round_means_us = eight, .saturated = true}, {ten}, {ten, {}});
  EXPECT_EQ(result.standing, Standing::behind);
  EXPECT_EQ(result.reason, "takt does not reach the rate, the other does");
}

TEST(CommVerdict, LossOfTaktAloneIsBehindWhateverTheNoise) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0), noise(9, 13.0);
  const Compared lossy{.round_means_us = eight, .lost = 3};
  for (const auto& again : {ten, noise, {}}) {
    const auto result = standing_of(lossy, {ten}, {ten, again});
    EXPECT_EQ(result.standing, Standing::behind);
    EXPECT_EQ(result.reason, "takt lost 3 messages, the other none");
  }
  const std::vector<double> one = {10.0}, none = {0.0};
  EXPECT_EQ(standing_of({.round_means_us = none, .lost = 100}, {one}, {}).standing, Standing::behind);
}

TEST(CommVerdict, AFloorIsNoMeasureOfLossAndNoneIsJudgedWhereItDoesNotHoldTheRate) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0);
  const Compared lossy{.round_means_us = eight, .lost = 3};
  const auto beside_floor = standing_of(lossy, {.round_means_us = ten, .floor = true}, {ten, ten});
  EXPECT_EQ(beside_floor.standing, Standing::ahead);
  EXPECT_THAT(beside_floor.reason, HasSubstr("takt lost 3 messages"));
  const auto beyond = standing_of(lossy, {ten}, {.round_means_us = ten, .again_us = ten, .saturated = true});
  EXPECT_EQ(beyond.standing, Standing::ahead);
  EXPECT_THAT(beyond.reason, HasSubstr("lost: takt 3, the other none"));
}

TEST(CommVerdict, LossOfTheOtherIsSaidAndTheMeansDecide) {
  const std::vector<double> ten(9, 10.0), eight(9, 8.0), noise(9, 13.0);
  const Compared lossy{.round_means_us = eight, .lost = 12};
  const auto result = standing_of({ten}, lossy, {ten, ten});
  EXPECT_EQ(result.standing, Standing::behind);
  EXPECT_THAT(result.reason, HasSubstr("1.25 [1.25, 1.25] times"));
  EXPECT_THAT(result.reason, HasSubstr("lost: takt none, the other 12"));
  const auto noisy = standing_of({ten}, lossy, {ten, noise});
  EXPECT_EQ(noisy.standing, Standing::not_judged);
  EXPECT_THAT(noisy.reason, HasSubstr("the other 12"));
}

}  // namespace
}  // namespace takt::lab::comm
