// SPDX-License-Identifier: Apache-2.0
#include "takt/core/time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace takt {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Seconds = std::chrono::duration<double>;

template <class D>
std::string refusal(D value) {
  try {
    checked_duration(value, "period");
  } catch (const SetupError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Time, IsShownInItsLargestUnit) {
  EXPECT_EQ(to_string(0ns), "0 s");
  EXPECT_EQ(to_string(10ms), "10 ms");
  EXPECT_EQ(to_string(1500ns), "1.5 us");
  EXPECT_EQ(to_string(999ns), "999 ns");
  EXPECT_EQ(to_string(-2s), "-2 s");
  EXPECT_EQ(to_string(-1ns), "-1 ns");
  EXPECT_EQ(to_string(1min), "60 s");
  EXPECT_EQ(to_string(1'234'567'891ns), "1.234567891 s");
}

TEST(CheckedDuration, ConvertsWhatFits) {
  EXPECT_EQ(checked_duration(Seconds{0.5}, "period"), 500ms);
  EXPECT_EQ(checked_duration(-3h, "period"), -3h);
  EXPECT_EQ(checked_duration(kLongestDuration, "period"), kLongestDuration);
}

TEST(CheckedDuration, NamesWhatIsOutOfRange) {
  EXPECT_THAT(refusal(Seconds{std::numeric_limits<double>::infinity()}), HasSubstr("period of inf s"));
  EXPECT_THAT(refusal(Seconds{-std::numeric_limits<double>::infinity()}), HasSubstr("period of -inf s"));
  EXPECT_THAT(refusal(Seconds{std::numeric_limits<double>::quiet_NaN()}), HasSubstr("nan s"));
  EXPECT_THAT(refusal(Seconds{1e300}), HasSubstr("out of range"));
  EXPECT_THAT(refusal(std::chrono::hours::max()), HasSubstr("out of range"));
  EXPECT_THAT(refusal(std::chrono::hours::min()), HasSubstr("out of range"));
  EXPECT_THAT(refusal(Duration::max()), HasSubstr("out of range"));
  EXPECT_THAT(refusal(kLongestDuration + 1h), HasSubstr("out of range"));
}

}  // namespace
}  // namespace takt
