// SPDX-License-Identifier: Apache-2.0
#include "takt/core/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

TEST(BoundedQueue, GivesItemsInOrder) {
  BoundedQueue<std::string> queue(3, WhenFull::refuse);
  EXPECT_FALSE(queue.pop());
  EXPECT_EQ(queue.push("a"), PushResult::ok);
  EXPECT_EQ(queue.push("b"), PushResult::ok);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.pop(), "a");
  EXPECT_EQ(queue.pop(), "b");
  EXPECT_TRUE(queue.empty());
}

TEST(BoundedQueue, KeepsTheLastItemsWhenTheOldestAreDropped) {
  BoundedQueue<int> queue(2, WhenFull::drop_oldest);
  EXPECT_EQ(queue.push(1), PushResult::ok);
  EXPECT_EQ(queue.push(2), PushResult::ok);
  EXPECT_EQ(queue.push(3), PushResult::dropped_oldest);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_FALSE(queue.pop());
}

TEST(BoundedQueue, HandsARefusedItemBack) {
  BoundedQueue<std::unique_ptr<int>> queue(1, WhenFull::refuse);
  EXPECT_EQ(queue.push(std::make_unique<int>(1)), PushResult::ok);
  auto second = std::make_unique<int>(2);
  EXPECT_EQ(queue.push(std::move(second)), PushResult::refused);
  // NOLINTBEGIN(bugprone-use-after-move): that it is still there is what is promised
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, 2);
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(**queue.pop(), 1);
}

TEST(BoundedQueue, KeepsNoTakenDroppedOrRefusedItemAlive) {
  const auto item = std::make_shared<int>(1);
  BoundedQueue<std::shared_ptr<int>> keep_last(1, WhenFull::drop_oldest);
  keep_last.push(std::shared_ptr<int>(item));
  keep_last.push(nullptr);
  EXPECT_EQ(item.use_count(), 1);
  keep_last.push(std::shared_ptr<int>(item));
  keep_last.pop();
  EXPECT_EQ(item.use_count(), 1);
  BoundedQueue<std::shared_ptr<int>> keep_all(1, WhenFull::refuse);
  keep_all.push(nullptr);
  {
    auto copy = item;
    keep_all.push(std::move(copy));
  }
  EXPECT_EQ(item.use_count(), 1);
}

TEST(BoundedQueue, GoesThroughManyTimesItsDepth) {
  BoundedQueue<int> queue(5, WhenFull::drop_oldest);
  for (int i = 0; i < 1000; ++i) queue.push(int{i});
  for (int i = 995; i < 1000; ++i) EXPECT_EQ(queue.pop(), i);
  EXPECT_FALSE(queue.pop());
}

TEST(BoundedQueue, UsesNoHeap) {
  BoundedQueue<int> queue(2, WhenFull::drop_oldest);
  const testing::NoAllocation guard;
  for (int i = 0; i < 5; ++i) queue.push(int{i});
  queue.pop();
}

}  // namespace
}  // namespace takt
