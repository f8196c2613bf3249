// SPDX-License-Identifier: Apache-2.0
#include "takt/core/error.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(SetupError, SaysWhatAndHowToMendIt) {
  const SetupError error("the port is taken", "choose another");
  EXPECT_STREQ(error.what(), "the port is taken; choose another");
  EXPECT_EQ(error.fix(), "choose another");
}

TEST(SetupError, NeedsNoFix) { EXPECT_STREQ(SetupError("no such thing").what(), "no such thing"); }

TEST(CheckDeathTest, AbortsWithTheRuleAndThePlace) {
  const int slots = 3;
  EXPECT_DEATH(TAKT_CHECK(slots < 2), "takt: bug: slots < 2 does not hold at .*error_test.cpp:[1-9]");
}

TEST(Check, LetsPassWhatHolds) {
  int evaluated = 0;
  TAKT_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace takt
