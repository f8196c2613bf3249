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
  for (const auto* good : {"1", "0.5", "100", "1e1", "0.001"}) EXPECT_TRUE(accepts(good)) << good;
  for (const auto* bad : {"0", "-1", "100.1", "nan", "inf", "1e400", "", "ten", "5s", "0x10", "+1", " 1",
                          "1 ", "1e-300", "0.0009"})
    EXPECT_FALSE(accepts(bad)) << bad;
}

TEST(OptionsTest, TheMessageNamesValueAndRange) {
  std::string value = "-3";
  EXPECT_EQ(seconds_up_to(100)(value), "-3 s is out of range: 0.001 to 100 s");
  value = "0x10";
  EXPECT_EQ(seconds_up_to(100)(value), "'0x10' is not a decimal number of seconds");
}

TEST(OptionsTest, CountsAreDecimalDigits) {
  const auto ok = [](std::string text) { return whole_number(0, 98)(text).empty(); };
  for (const auto* good : {"0", "1", "98"}) EXPECT_TRUE(ok(good)) << good;
  for (const auto* bad : {"99", "-1", "+1", "010", "0x10", "1e1", "1.0", "", " 1", "99999999999999999999"})
    EXPECT_FALSE(ok(bad)) << bad;
}

TEST(OptionsTest, AFolderHasAName) {
  std::string name;
  EXPECT_NE(folder_name()(name), "");
  name = "x";
  EXPECT_EQ(folder_name()(name), "");
}

}  // namespace
}  // namespace takt::lab
