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

TEST(OptionsTest, OtherQuantitiesAreDecimalNumbers) {
  const auto said = [](std::string text) { return decimal_number(0.01, 1024)(text); };
  for (const auto* good : {"0.01", "0.3", "1", "1024", "1e2"}) EXPECT_EQ(said(good), "");
  for (const auto* bad : {"", "one", "1.5x", "nan", "inf", "+1", " 1"})
    EXPECT_EQ(said(bad), "'" + std::string(bad) + "' is not a decimal number");
  for (const auto* bad : {"0", "0.009", "-1", "1024.1"})
    EXPECT_EQ(said(bad), std::string(bad) + " is out of range: 0.01 to 1024");
}

TEST(OptionsTest, AmountsOfMemoryHaveBinaryUnits) {
  EXPECT_EQ(bytes_of("67108864"), 67108864U);
  EXPECT_EQ(bytes_of("3k"), 3072U);
  EXPECT_EQ(bytes_of("512m"), std::uint64_t{512} << 20U);
  EXPECT_EQ(bytes_of("1G"), std::uint64_t{1} << 30U);
  EXPECT_EQ(bytes_of("2t"), std::uint64_t{2} << 40U);
  EXPECT_EQ(bytes_of("4194304t"), std::uint64_t{1} << 62U);  // the most
  for (const auto* bad :
       {"", "m", "0", "-1g", "1.5g", "1x", "1gg", "1 g", "4194305t", "18446744073709551616"})
    EXPECT_EQ(bytes_of(bad), 0U) << bad;
}

TEST(OptionsTest, ALimitOfMemoryIsAtLeast64MiB) {
  const auto said = [](std::string text) { return memory_size()(text); };
  for (const auto* good : {"64m", "67108864", "65536k", "1g", "1T"}) EXPECT_EQ(said(good), "");
  for (const auto* bad : {"63m", "67108863", "0", "", "1x", "99999999999g"}) EXPECT_NE(said(bad), "") << bad;
}

TEST(OptionsTest, AFolderHasAName) {
  std::string name;
  EXPECT_NE(folder_name()(name), "");
  name = "x";
  EXPECT_EQ(folder_name()(name), "");
}

}  // namespace
}  // namespace takt::lab
