// SPDX-License-Identifier: Apache-2.0
#include "lab/common/options.hpp"

#include <gtest/gtest.h>

namespace takt::lab {
namespace {

bool accepts(const std::string& text) {
  std::string value = text;
  return seconds_up_to(100)(value).empty();
}

TEST(OptionsTest, SecondsAreANumberInRange) {
  for (const auto* good : {"1", "0.5", "100", "1e1"}) EXPECT_TRUE(accepts(good)) << good;
  for (const auto* bad : {"0", "-1", "100.1", "nan", "inf", "1e400", "", "ten", "5s"})
    EXPECT_FALSE(accepts(bad)) << bad;
}

TEST(OptionsTest, TheMessageNamesValueAndRange) {
  std::string value = "-3";
  EXPECT_EQ(seconds_up_to(100)(value), "-3 s is out of range: more than 0 and at most 100 s");
}

}  // namespace
}  // namespace takt::lab
