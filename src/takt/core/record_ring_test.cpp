// SPDX-License-Identifier: Apache-2.0
#include "takt/core/record_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

TEST(RecordRing, GivesRecordsInOrder) {
  RecordRing<int> ring(4);
  EXPECT_EQ(ring.front(), nullptr);
  int out = 0;
  EXPECT_FALSE(ring.try_pop(out));
  for (int round = 0; round < 10; ++round) {
    EXPECT_TRUE(ring.try_push(2 * round));
    EXPECT_TRUE(ring.try_push(2 * round + 1));
    EXPECT_EQ(*ring.front(), 2 * round);
    EXPECT_EQ(ring.size(), 2U);
    EXPECT_TRUE(ring.try_pop(out));
    EXPECT_EQ(out, 2 * round);
    EXPECT_TRUE(ring.try_pop(out));
    EXPECT_EQ(out, 2 * round + 1);
  }
}

TEST(RecordRing, RefusesWhenFullAndKeepsWhatItHas) {
  RecordRing<int> ring(2);
  EXPECT_TRUE(ring.try_push(1));
  EXPECT_TRUE(ring.try_push(2));
  EXPECT_FALSE(ring.try_push(3));
  int out = 0;
  EXPECT_TRUE(ring.try_pop(out));
  EXPECT_EQ(out, 1);
  EXPECT_TRUE(ring.try_push(4));
}

TEST(RecordRing, ShowsARecordThatIsWrittenInPlaceOnceItIsPushed) {
  RecordRing<int> ring(2);
  int* place = ring.next();
  ASSERT_NE(place, nullptr);
  *place = 7;
  EXPECT_EQ(ring.front(), nullptr);
  ring.push();
  ASSERT_NE(ring.front(), nullptr);
  EXPECT_EQ(*ring.front(), 7);
  ASSERT_TRUE(ring.try_push(8));
  EXPECT_EQ(ring.next(), nullptr);  // full
}

TEST(RecordRing, GivesEachRecordACacheLineOfItsOwn) {
  RecordRing<std::array<char, 64>> ring(2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ring.next()) % 64, 0U);
  ring.push();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ring.next()) % 64, 0U);
}

TEST(RecordRing, UsesNoHeap) {
  RecordRing<int> ring(2);
  int out = 0;
  const testing::NoAllocation guard;
  ring.try_push(1);
  ring.try_pop(out);
}

TEST(RecordRingDeathTest, CallsACapacityThatIsNoPowerOfTwoABug) {
  EXPECT_DEATH(RecordRing<int>(3), "bug");
  EXPECT_DEATH(RecordRing<int>(0), "bug");
}

TEST(RecordRing, SaysOnceAQuarterThatItGrowsFull) {
  RecordRing<int> ring(16);
  std::vector<int> at;
  for (int i = 1; i <= 16; ++i) {
    EXPECT_TRUE(ring.try_push(i));
    if (ring.grows_full()) at.push_back(i);
  }
  EXPECT_EQ(at, (std::vector<int>{8, 12, 16}));
  EXPECT_FALSE(ring.try_push(17));
}

}  // namespace
}  // namespace takt
