// SPDX-License-Identifier: Apache-2.0
#include "takt/core/slot_set.hpp"

#include <gtest/gtest.h>

#include <set>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

TEST(SlotSet, GivesEachSlotOnceUntilNoneIsLeft) {
  for (const std::uint32_t size : {1U, 63U, 64U, 65U, 200U}) {
    SlotSet slots(size);
    std::set<std::uint32_t> given;
    while (const auto slot = slots.claim()) {
      EXPECT_LT(*slot, size);
      EXPECT_TRUE(given.insert(*slot).second) << *slot;
    }
    EXPECT_EQ(given.size(), size);
    EXPECT_EQ(slots.claimed(), size);
  }
}

TEST(SlotSet, GivesAReleasedSlotAgain) {
  SlotSet slots(100);
  while (slots.claim()) {
  }
  slots.release(17);
  EXPECT_EQ(slots.claimed(), 99U);
  EXPECT_EQ(slots.claim(), 17U);
  EXPECT_FALSE(slots.claim());
}

TEST(SlotSet, UsesNoHeap) {
  SlotSet slots(100);
  const testing::NoAllocation guard;
  slots.release(*slots.claim());
}

TEST(SlotSetDeathTest, CallsADoubleReleaseABug) {
  SlotSet slots(10);
  const auto slot = *slots.claim();
  slots.release(slot);
  EXPECT_DEATH(slots.release(slot), "bug");
  EXPECT_DEATH(slots.release(10), "bug");
}

}  // namespace
}  // namespace takt
