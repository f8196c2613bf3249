// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/pending_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace takt::timing {
namespace {

Pending starting(std::int64_t start_ns, std::uint32_t worker = 0) {
  Pending pending{{}, worker, 0};
  pending.record.start_ns = start_ns;
  return pending;
}

TEST(PendingRecords, GivesThemBackInOrderOfStartWhicheverWayTheyCame) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same every time
  PendingRecords pending(64);
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> got;
  for (std::int64_t round = 0; round < 200; ++round) {
    while (!pending.full()) {
      const auto start = round * 100 + static_cast<std::int64_t>(random() % 100);
      pending.push(starting(start));
      expected.push_back(start);
    }
    while (pending.size() > random() % 64) {
      got.push_back(pending.front().record.start_ns);
      pending.pop();
      // What comes later may start earlier: order holds among those that wait at the same time.
      if (!pending.empty()) {
        EXPECT_LE(got.back(), pending.front().record.start_ns);
      }
    }
  }
  for (; !pending.empty(); pending.pop()) got.push_back(pending.front().record.start_ns);
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected) << "none is lost and none comes twice";
}

TEST(PendingRecords, EqualStartsKeepTheOrderOfArrival) {
  PendingRecords pending(8);
  pending.push(starting(20, 0));
  for (std::uint32_t worker = 1; worker < 4; ++worker) pending.push(starting(10, worker));
  pending.push(starting(20, 4));
  std::vector<std::uint32_t> got;
  for (; !pending.empty(); pending.pop()) got.push_back(pending.front().worker);
  EXPECT_EQ(got, (std::vector<std::uint32_t>{1, 2, 3, 0, 4}));
}

TEST(PendingRecords, IsFullAtItsCapacityAndEmptyAgain) {
  PendingRecords pending(2);
  pending.push(starting(2));
  pending.push(starting(1));
  EXPECT_TRUE(pending.full());
  EXPECT_EQ(pending.capacity(), 2U);
  pending.pop();
  EXPECT_EQ(pending.front().record.start_ns, 2);
  pending.pop();
  EXPECT_TRUE(pending.empty());
}

}  // namespace
}  // namespace takt::timing
