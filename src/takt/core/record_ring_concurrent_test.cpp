// SPDX-License-Identifier: Apache-2.0
#include "takt/core/record_ring.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace takt {
namespace {

TEST(RecordRingConcurrent, HandsEveryRecordOverWholeAndInOrder) {
  struct Record {
    int a, b, c, d;
  };
  constexpr int n = 20'000;
  RecordRing<Record> ring(64);
  std::thread writer([&] {
    for (int i = 0; i < n; ++i) {
      while (!ring.try_push({i, i, i, i})) std::this_thread::yield();
    }
  });
  for (int i = 0; i < n; ++i) {
    Record r{};
    while (!ring.try_pop(r)) std::this_thread::yield();
    ASSERT_EQ(r.a, i);
    ASSERT_TRUE(r.a == r.b && r.b == r.c && r.c == r.d);
  }
  writer.join();
  EXPECT_EQ(ring.size(), 0U);
}

}  // namespace
}  // namespace takt
