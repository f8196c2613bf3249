// SPDX-License-Identifier: Apache-2.0
#include "takt/core/version.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(VersionTest, HasThreeNumbers) {
  int dots = 0;
  for (const char c : version()) {
    EXPECT_TRUE(c == '.' || (c >= '0' && c <= '9')) << version();
    dots += c == '.' ? 1 : 0;
  }
  EXPECT_EQ(dots, 2);
}

TEST(VersionTest, CommitAndCompilerAreNeverEmpty) {
  EXPECT_FALSE(commit().empty());
  EXPECT_FALSE(compiler().empty());
}

}  // namespace
}  // namespace takt
