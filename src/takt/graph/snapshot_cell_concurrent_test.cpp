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
  SnapshotCell<Pair> cell(std::make_unique<Pair>(0));
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      int last = 0;
      while (!stop.load()) {
        const auto pair = cell.read();
        ASSERT_EQ(pair->one, pair->two);
        ASSERT_GE(pair->one, last);
        last = pair->one;
      }
    });
  }
  for (int i = 1; i <= 500; ++i) {
    cell.replace(std::make_unique<Pair>(i));
    cell.collect();
    if (i % 16 == 0) std::this_thread::yield();
  }
  while (cell.collect()) std::this_thread::yield();  // readers never stop coming
  stop = true;
  for (auto& reader : readers) reader.join();
}

}  // namespace
}  // namespace takt
