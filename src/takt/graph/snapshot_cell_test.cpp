// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/snapshot_cell.hpp"

#include <gtest/gtest.h>

#include "takt/core/house.hpp"

namespace takt {
namespace {

struct Number final : Disposable {
  explicit Number(int n) : value(n) { alive.fetch_add(1); }
  ~Number() override { alive.fetch_sub(1); }
  const int value;
  static inline std::atomic<int> alive{0};
};

int alive_after_a_round() {
  House::of_process().run_now();
  return Number::alive.load();
}

TEST(SnapshotCell, a_reader_keeps_what_it_saw) {
  SnapshotCell<Number> cell(std::make_unique<Number>(1));
  {
    const auto before = cell.read();
    cell.replace(std::make_unique<Number>(2));
    const auto after = cell.read();
    EXPECT_EQ(before->value, 1);
    EXPECT_EQ(after->value, 2);
    EXPECT_TRUE(cell.collect());
    EXPECT_EQ(alive_after_a_round(), 2);
  }
  EXPECT_FALSE(cell.collect());
  EXPECT_EQ(alive_after_a_round(), 1);
}

TEST(SnapshotCell, readers_that_keep_coming_do_not_hold_up_the_old_one) {
  SnapshotCell<Number> cell(std::make_unique<Number>(1));
  const auto read = [&] {
    // NOLINTNEXTLINE(modernize-make-unique): a reader cannot be moved, so make_unique cannot make it
    return std::unique_ptr<SnapshotCell<Number>::Reader>(new SnapshotCell<Number>::Reader(cell.read()));
  };
  auto current = read();
  cell.replace(std::make_unique<Number>(2));
  bool left = true;
  for (int i = 0; i < 4 && left; ++i) {  // there is a reader at every moment
    auto next = read();
    current = std::move(next);
    left = cell.collect();
  }
  EXPECT_FALSE(left);
  EXPECT_EQ(alive_after_a_round(), 1);
}

TEST(SnapshotCell, numbers_its_readings_and_weighs_them) {
  SnapshotCell<Number> cell(std::make_unique<Number>(1));
  EXPECT_EQ(cell.read().number(), 1U);
  cell.replace(std::make_unique<Number>(2), 3);
  EXPECT_EQ(cell.weighed_readings(), 0U);
  EXPECT_EQ(cell.read().number(), 2U);
  EXPECT_EQ(cell.read().number(), 3U);
  EXPECT_EQ(cell.weighed_readings(), 6U);
  for (std::uint64_t i = 0; i < 40; ++i) {  // more versions than there are places
    cell.replace(std::make_unique<Number>(3), i % 2);
    EXPECT_EQ(cell.read().number(), 4 + i);
  }
  EXPECT_EQ(cell.readings(), 43U);
  EXPECT_EQ(cell.weighed_readings(), 6U + 20U);
  EXPECT_FALSE(cell.collect());
}

TEST(SnapshotCell, its_end_disposes_of_all) {
  {
    SnapshotCell<Number> cell(std::make_unique<Number>(1));
    cell.replace(std::make_unique<Number>(2));
  }
  EXPECT_EQ(alive_after_a_round(), 0);
}

}  // namespace
}  // namespace takt
