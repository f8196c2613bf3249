// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace takt::lab::deadlines {
namespace {

TEST(Arithmetic, EveryCalculationAgreesWithThePublishedValue) {
  const auto calculations = arithmetic();
  EXPECT_EQ(calculations.size(), 10U);
  EXPECT_TRUE(all_agree(calculations));
  for (const auto& one : calculations) {
    EXPECT_TRUE(one.agrees) << one.meaning << ": " << one.expected << " expected, " << one.actual
                            << " computed";
    EXPECT_EQ(one.expected, one.actual) << one.meaning;
  }
}

TEST(Arithmetic, TheTutorialsMeanPassesAndItsMaximumFails) {
  const auto calculations = arithmetic();
  EXPECT_EQ(calculations[8].actual, "passes");
  EXPECT_EQ(calculations[9].actual, "fails");
}

TEST(Arithmetic, DocumentTellsADifference) {
  auto calculations = arithmetic();
  EXPECT_TRUE(to_json(calculations)["all_agree"]);
  calculations[0].agrees = false;
  const auto document = to_json(calculations);
  EXPECT_FALSE(document["all_agree"]);
  EXPECT_FALSE(document["calculations"][0]["agrees"]);
}

}  // namespace
}  // namespace takt::lab::deadlines
