// SPDX-License-Identifier: Apache-2.0
#include "takt/core/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

namespace takt {
namespace {

struct Item {
  int producer = -1;
  int number = 0;
  int check = 0;  // equals number: a torn or shared item would differ
};

class BoundedQueueConcurrent
    : public ::testing::TestWithParam<
          std::tuple<WhenFull, int /*producers*/, int /*consumers*/, std::uint32_t /*depth*/>> {
 protected:
  // A small queue that refuses hands over an item or two per turn of the scheduler: on a busy machine that
  // takes long.
  const int each_ = std::get<0>(GetParam()) == WhenFull::refuse && std::get<3>(GetParam()) < 64 ? 150 : 1000;

  void produce(int producer) {
    for (int i = 0; i < each_; ++i) {
      Item item{producer, i, i};
      for (;;) {
        const auto result = queue_.push(static_cast<Item&&>(item));
        if (result == PushResult::dropped_oldest) dropped_.fetch_add(1);
        if (result != PushResult::refused) break;
        ASSERT_EQ(item.number, i) << "a refused item must come back";
        std::this_thread::yield();
      }
      if (i % 16 == 0) std::this_thread::yield();
    }
  }

  void consume(std::vector<Item>& got) {
    for (;;) {
      const bool last_look = done_.load();
      if (auto item = queue_.pop()) {
        got.push_back(*item);
      } else if (last_look) {
        return;
      } else {
        std::this_thread::yield();
      }
    }
  }

  BoundedQueue<Item> queue_{std::get<3>(GetParam()), std::get<0>(GetParam())};
  std::atomic<int> dropped_{0};
  std::atomic<bool> done_{false};
};

TEST_P(BoundedQueueConcurrent, LosesAndDoublesNothingButWhatItCounts) {
  const auto [when_full, producers, consumers, depth] = GetParam();
  std::vector<std::vector<Item>> got(static_cast<std::size_t>(consumers));
  std::vector<std::thread> takers;
  takers.reserve(got.size());
  for (auto& list : got) takers.emplace_back([this, &list] { consume(list); });
  std::vector<std::thread> makers;
  makers.reserve(static_cast<std::size_t>(producers));
  for (int p = 0; p < producers; ++p) makers.emplace_back([this, p] { produce(p); });
  for (auto& t : makers) t.join();
  done_ = true;
  for (auto& t : takers) t.join();

  std::map<std::pair<int, int>, int> times;
  int taken = 0;
  for (const auto& list : got) {
    std::map<int, int> last;
    for (const auto& item : list) {
      ASSERT_EQ(item.number, item.check);
      ASSERT_EQ(++(times[{item.producer, item.number}]), 1) << "taken twice";
      // Per producer in order, for each consumer: takes of one consumer follow each other.
      const auto [at, fresh] = last.try_emplace(item.producer, item.number);
      if (!fresh) {
        ASSERT_GT(item.number, at->second);
        at->second = item.number;
      }
      ++taken;
    }
  }
  EXPECT_EQ(taken + dropped_.load(), producers * each_);
  if (when_full == WhenFull::refuse) {
    EXPECT_EQ(dropped_.load(), 0);
  }
  EXPECT_TRUE(queue_.empty());
}

INSTANTIATE_TEST_SUITE_P(Mixes, BoundedQueueConcurrent,
                         ::testing::Combine(::testing::Values(WhenFull::drop_oldest, WhenFull::refuse),
                                            ::testing::Values(1, 3), ::testing::Values(1, 3),
                                            ::testing::Values(1U, 2U, 64U)));

TEST(BoundedQueueStopped, AProducerThatFillsAndNeverCommitsStallsNobody) {
  // What push does, stopped in the middle: the slot is claimed and filled, the append does not come.
  SlotSet slots(2 + 64);
  SlotRing ring(2);
  std::vector<int> items(slots.size());
  const auto stopped = slots.claim();
  ASSERT_TRUE(stopped);
  items[*stopped] = -1;
  std::atomic<int> taken{0};
  std::atomic<bool> done{false};
  std::thread consumer([&] {
    for (;;) {
      const bool last_look = done.load();
      if (const auto slot = ring.take()) {
        EXPECT_NE(items[*slot], -1);
        taken.fetch_add(1);
        slots.release(*slot);
      } else if (last_look) {
        return;
      } else {
        std::this_thread::yield();
      }
    }
  });
  int displaced = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto slot = slots.claim();
    ASSERT_TRUE(slot);
    items[*slot] = i;
    const auto appended = ring.append(*slot);
    ASSERT_TRUE(appended.appended);
    if (appended.displaced) {
      ++displaced;
      slots.release(*appended.displaced);
    }
    if (i % 8 == 0) std::this_thread::yield();
  }
  done = true;
  consumer.join();
  EXPECT_EQ(taken.load() + displaced, 3000);
  EXPECT_TRUE(ring.append(*stopped).appended);  // it wakes up, late but harmless
  EXPECT_EQ(ring.take(), stopped);
}

TEST(BoundedQueueMany, RefusesNothingWhileThereIsRoomForSixtyFourThreads) {
  constexpr int threads = 24;
  constexpr int each = 200;
  BoundedQueue<int> queue(threads * each, WhenFull::refuse);
  std::atomic<int> refused{0};
  std::vector<std::thread> makers;
  makers.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    makers.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        if (queue.push(int{i}) != PushResult::ok) refused.fetch_add(1);
      }
    });
  }
  for (auto& t : makers) t.join();
  EXPECT_EQ(refused.load(), 0);
  EXPECT_EQ(queue.size(), static_cast<std::uint32_t>(threads * each));
}

}  // namespace
}  // namespace takt
