// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/near_matches.hpp"

#include <gmock/gmock.h>

namespace takt::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EditDistance, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("lab", "lab"), 0U);
  EXPECT_EQ(edit_distance("", "lab"), 3U);
  EXPECT_EQ(edit_distance("lba", "lab"), 1U);
  EXPECT_EQ(edit_distance("lap", "lab"), 1U);
  EXPECT_EQ(edit_distance("deadline", "deadlines"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearMatches, NearestFirstAndNoneThatIsFar) {
  EXPECT_THAT(near_matches("deadlins", {"priority", "deadlines"}), ElementsAre("deadlines"));
  EXPECT_THAT(near_matches("--second", {"--seconds", "--scheduling"}), ElementsAre("--seconds"));
  EXPECT_THAT(near_matches("prio", {"priority", "deadlines"}), ElementsAre("priority"));
  EXPECT_THAT(near_matches("xyz", {"priority", "deadlines", "lab"}), IsEmpty());
}

}  // namespace
}  // namespace takt::cli
