// SPDX-License-Identifier: Apache-2.0
#include "takt/core/slot_set.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace takt {
namespace {

TEST(SlotSetConcurrent, GivesASlotToOneThreadAtATime) {
  constexpr std::uint32_t size = 70;  // two words, so that claims move between them
  SlotSet slots(size);
  const auto owners = std::make_unique<std::atomic<int>[]>(size);
  std::vector<int> plain(size);  // written by the owner only: the thread sanitizer checks the hand-over
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<std::uint32_t> held;
      for (int i = 0; i < 5000; ++i) {
        if (const auto slot = slots.claim()) {
          EXPECT_EQ(owners[*slot].fetch_add(1), 0);
          ++plain[*slot];
          held.push_back(*slot);
        }
        if (held.size() > 20 || i % 3 == 0) {
          for (const auto slot : held) {
            EXPECT_EQ(owners[slot].fetch_sub(1), 1);
            slots.release(slot);
          }
          held.clear();
        }
      }
      for (const auto slot : held) {
        owners[slot].fetch_sub(1);
        slots.release(slot);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(slots.claimed(), 0U);
}

}  // namespace
}  // namespace takt
