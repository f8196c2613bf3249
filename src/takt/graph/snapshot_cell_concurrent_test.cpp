// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "takt/graph/snapshot_cell.hpp"

namespace takt {
namespace {

struct Pair final : Disposable {
  explicit Pair(int n) : one(n), two(n) {}
  ~Pair() override { one = two = -1; }
  int one;
  int two;
};

TEST(SnapshotCellConcurrent, readers_see_whole_objects_that_only_grow_newer) {
  SnapshotCell<Pair> cell(std::make_unique<Pair>(0), 1);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> all{0};
  std::atomic<std::uint64_t> odd{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      int last = 0;
      std::uint64_t last_number = 0;
      while (!stop.load()) {
        const auto pair = cell.read();
        ASSERT_EQ(pair->one, pair->two);
        ASSERT_GE(pair->one, last);
        ASSERT_GT(pair.number(), last_number);
        last = pair->one;
        last_number = pair.number();
        all.fetch_add(1);
        odd.fetch_add(static_cast<std::uint64_t>(last % 2));
      }
    });
  }
  for (int i = 1; i <= 500; ++i) {
    cell.replace(std::make_unique<Pair>(i), i % 2 == 0 ? 1 : 2);
    const auto readings = cell.readings();
    EXPECT_LE(readings, cell.weighed_readings()) << "an odd one weighs two";
    cell.collect();
    if (i % 16 == 0) std::this_thread::yield();
  }
  while (cell.collect()) std::this_thread::yield();  // readers never stop coming
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(cell.readings(), all.load());
  EXPECT_EQ(cell.weighed_readings(), all.load() + odd.load());
}

}  // namespace
}  // namespace takt
