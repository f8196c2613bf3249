// SPDX-License-Identifier: Apache-2.0
#include "takt/core/slot_ring.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {

/// Puts the ring into the states in which a thread that is stopped in the middle leaves it.
struct SlotRingPeer {
  /// An appender committed and was stopped before it could move the head.
  static void take_back_head(SlotRing& ring) { ring.head_.fetch_sub(1); }
  /// A taker took and was stopped before it could move the tail.
  static void take_back_tail(SlotRing& ring) { ring.tail_.fetch_sub(1); }
};

namespace {

TEST(SlotRing, GivesSlotsInOrder) {
  SlotRing ring(3);
  EXPECT_TRUE(ring.empty());
  EXPECT_FALSE(ring.take());
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(ring.append(2 * i).appended);
    EXPECT_TRUE(ring.try_append(2 * i + 1).appended);
    EXPECT_EQ(ring.size(), 2U);
    EXPECT_EQ(ring.take(), 2 * i);
    EXPECT_EQ(ring.take(), 2 * i + 1);
    EXPECT_FALSE(ring.take());
  }
}

TEST(SlotRing, DisplacesTheOldestWhenFull) {
  SlotRing ring(2);
  ring.append(1);
  EXPECT_FALSE(ring.append(2).displaced);
  const auto third = ring.append(3);
  EXPECT_TRUE(third.appended);
  EXPECT_EQ(third.displaced, 1U);
  EXPECT_EQ(ring.size(), 2U);
  EXPECT_EQ(ring.take(), 2U);
  EXPECT_EQ(ring.take(), 3U);
  EXPECT_FALSE(ring.take());
}

TEST(SlotRing, RefusesWhenFullIfAskedTo) {
  SlotRing ring(2);
  EXPECT_TRUE(ring.try_append(1).appended);
  EXPECT_TRUE(ring.try_append(2).appended);
  EXPECT_FALSE(ring.try_append(3).appended);
  EXPECT_EQ(ring.take(), 1U);
  EXPECT_TRUE(ring.try_append(3).appended);
  EXPECT_EQ(ring.take(), 2U);
  EXPECT_EQ(ring.take(), 3U);
}

TEST(SlotRing, WorksWithADepthOfOne) {
  SlotRing ring(1);
  EXPECT_TRUE(ring.try_append(7).appended);
  EXPECT_FALSE(ring.try_append(8).appended);
  EXPECT_EQ(ring.append(9).displaced, 7U);
  EXPECT_EQ(ring.take(), 9U);
  EXPECT_FALSE(ring.take());
}

TEST(SlotRing, BehavesAsAQueueOfLimitedLength) {
  for (const std::uint32_t depth : {1U, 2U, 3U, 8U, 100U}) {
    SlotRing ring(depth);
    std::deque<std::uint32_t> model;
    std::mt19937 random(depth);
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      const auto slot = i % 65'000;
      switch (random() % 4) {
        case 0: {
          const auto appended = ring.append(slot);
          ASSERT_TRUE(appended.appended);
          ASSERT_EQ(appended.displaced.has_value(), model.size() == depth);
          if (appended.displaced) {
            ASSERT_EQ(*appended.displaced, model.front());
            model.pop_front();
          }
          model.push_back(slot);
          break;
        }
        case 1: {
          const bool room = model.size() < depth;
          ASSERT_EQ(ring.try_append(slot).appended, room);
          if (room) model.push_back(slot);
          break;
        }
        default: {
          const auto taken = ring.take();
          ASSERT_EQ(taken.has_value(), !model.empty());
          if (taken) {
            ASSERT_EQ(*taken, model.front());
            model.pop_front();
          }
        }
      }
      ASSERT_EQ(ring.size(), model.size());
    }
  }
}

TEST(SlotRing, IsNotStalledByAnAppenderStoppedAfterItsCommit) {
  SlotRing ring(2);
  ring.append(1);
  SlotRingPeer::take_back_head(ring);
  EXPECT_EQ(ring.take(), 1U);  // a consumer sees it
  EXPECT_FALSE(ring.take());
  EXPECT_EQ(ring.size(), 0U);
  ring.append(2);
  SlotRingPeer::take_back_head(ring);
  EXPECT_TRUE(ring.append(3).appended);  // another producer goes on after it
  EXPECT_EQ(ring.size(), 2U);
  EXPECT_EQ(ring.take(), 2U);
  EXPECT_EQ(ring.take(), 3U);
}

TEST(SlotRing, IsNotStalledByATakerStoppedAfterItsTake) {
  SlotRing ring(2);
  ring.append(1);
  ring.append(2);
  EXPECT_EQ(ring.take(), 1U);
  SlotRingPeer::take_back_tail(ring);
  EXPECT_TRUE(ring.try_append(3).appended);
  EXPECT_EQ(ring.take(), 2U);
  EXPECT_EQ(ring.take(), 3U);
  EXPECT_FALSE(ring.take());
  EXPECT_TRUE(ring.empty());
}

TEST(SlotRing, CatchesUpWithATailThatWasLappedManyTimes) {
  SlotRing ring(2);
  for (std::uint32_t i = 0; i < 11; ++i) {
    ring.append(i);
    if (i >= 2) SlotRingPeer::take_back_tail(ring);  // no displacing appender came to move the tail
  }
  EXPECT_EQ(ring.size(), 2U);
  EXPECT_EQ(ring.take(), 9U);
  EXPECT_EQ(ring.take(), 10U);
  EXPECT_FALSE(ring.take());
}

TEST(SlotRing, UsesNoHeap) {
  SlotRing ring(2);
  const testing::NoAllocation guard;
  ring.append(1);
  ring.take();
}

TEST(SlotRingDeathTest, CallsAnImpossibleDepthOrSlotABug) {
  EXPECT_DEATH(SlotRing(0), "bug");
  EXPECT_DEATH(SlotRing((1U << 16) + 1), "bug");
  EXPECT_DEATH(SlotRing(1).append(1U << 18), "bug");
}

}  // namespace
}  // namespace takt
