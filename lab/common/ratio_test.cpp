// SPDX-License-Identifier: Apache-2.0
#include "lab/common/ratio.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "takt/core/error.hpp"

namespace takt::lab {
namespace {

// Nine rounds on a machine that drifts by a factor of two while the ratios stay what they are.
const std::vector<double> kBaseline = {10, 11, 12, 13, 14, 16, 17, 18, 20};
const std::vector<double> kAgain = {10.1, 10.9, 12.1, 12.9, 14.1, 15.9, 17.1, 17.9, 20.1};

std::vector<double> times(double factor) {
  std::vector<double> out;
  double wobble = 0.99;
  for (const double b : kBaseline) {
    out.push_back(b * factor * wobble);
    wobble = wobble > 1 ? 0.99 : 1.01;
  }
  return out;
}

TEST(RatioTest, TheMachinesDriftCancels) {
  const auto ratio = ratio_of(times(2), kBaseline);
  EXPECT_NEAR(ratio.median, 2, 0.03);
  EXPECT_GT(ratio.low, 1.97);
  EXPECT_LT(ratio.high, 2.03);
  EXPECT_LE(ratio.low, ratio.median);
  EXPECT_GE(ratio.high, ratio.median);
  EXPECT_EQ(ratio.rounds, 9U);
}

TEST(RatioTest, AMedianOfAnEvenNumberIsBetweenTheTwo) {
  const std::vector<double> top = {1, 3};
  const std::vector<double> one = {1, 1};
  EXPECT_DOUBLE_EQ(ratio_of(top, one).median, 2);
}

TEST(RatioTest, OneWildRoundDoesNotMoveTheMedian) {
  auto subject = times(1);
  subject[4] *= 50;
  EXPECT_NEAR(ratio_of(subject, kBaseline).median, 1, 0.02);
}

TEST(RatioTest, TheSameFiguresGiveTheSameInterval) {
  const auto a = ratio_of(times(1.3), kBaseline);
  const auto b = ratio_of(times(1.3), kBaseline);
  EXPECT_DOUBLE_EQ(a.low, b.low);
  EXPECT_DOUBLE_EQ(a.high, b.high);
}

TEST(RatioTest, MetNotMetAndUndecided) {
  EXPECT_EQ(judge_ratio(times(1.05), kBaseline, kAgain, 1.15).verdict, RatioVerdict::met);
  EXPECT_EQ(judge_ratio(times(1.30), kBaseline, kAgain, 1.15).verdict, RatioVerdict::not_met);
  const auto close = judge_ratio(times(1.15), kBaseline, kAgain, 1.15);
  EXPECT_EQ(close.verdict, RatioVerdict::not_judged);
  EXPECT_NE(close.reason.find("undecided"), std::string::npos);
}

TEST(RatioTest, EightRoundsAreTooFew) {
  const auto subject = times(1);
  const std::span<const double> eight(subject.data(), 8);
  const auto result = judge_ratio(eight, std::span(kBaseline).first(8), std::span(kAgain).first(8), 1.15);
  EXPECT_EQ(result.verdict, RatioVerdict::not_judged);
  EXPECT_NE(result.reason.find("too few"), std::string::npos);
}

TEST(RatioTest, ABaselineThatDiffersFromItselfJudgesNothing) {
  std::vector<double> again = kAgain;
  for (auto& figure : again) figure *= 1.4;
  const auto slower = judge_ratio(times(1), kBaseline, again, 1.15);
  EXPECT_EQ(slower.verdict, RatioVerdict::not_judged);
  EXPECT_NE(slower.reason.find("against itself"), std::string::npos);
  for (auto& figure : again) figure /= 1.4 * 1.4;  // the other way round is as bad
  EXPECT_EQ(judge_ratio(times(1), kBaseline, again, 1.15).verdict, RatioVerdict::not_judged);
}

TEST(RatioTest, WhatCannotBeComparedIsRefused) {
  const std::vector<double> two = {1, 2};
  const std::vector<double> zero = {1, 0};
  EXPECT_THROW(ratio_of(two, kBaseline), SetupError);
  EXPECT_THROW(ratio_of(two, zero), SetupError);
  EXPECT_THROW(ratio_of({}, {}), SetupError);
}

TEST(RatioTest, JsonSaysEverything) {
  const auto json = to_json(judge_ratio(times(1.05), kBaseline, kAgain, 1.15));
  EXPECT_EQ(json["verdict"], "MET");
  EXPECT_EQ(json["ratio"]["rounds"], 9);
  EXPECT_DOUBLE_EQ(json["margin"], 1.15);
  EXPECT_TRUE(json["baseline"].contains("high"));
}

}  // namespace
}  // namespace takt::lab
