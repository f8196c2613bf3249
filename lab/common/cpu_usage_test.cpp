// SPDX-License-Identifier: Apache-2.0
#include "lab/common/cpu_usage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"

namespace takt::lab {
namespace {

TEST(CpuUsageTest, ReadsEveryCoreAndNoSum) {
  FakeTree tree;
  tree.put(
      "stat",
      "cpu  9 9 9 9 9 9 9 9 0 0\ncpu1 1 2 3 100 50 4 5 6 0 0\ncpu0 10 0 0 5 0 0 0 0 0 0\nintr 5\ncpufoo 1\n");
  const auto reading = read_cpu_ticks(tree.root() / "stat");
  ASSERT_EQ(reading.size(), 2U);
  EXPECT_EQ(reading[0].cpu, 0);
  EXPECT_EQ(reading[1].busy, 1U + 2 + 3 + 4 + 5 + 6);
  EXPECT_EQ(reading[1].idle, 150U);
  EXPECT_EQ(reading[1].steal, 6U);
}

TEST(CpuUsageTest, SharesAreOfTheTimeBetween) {
  const CpuReading before = {{0, 100, 100, 0}, {1, 50, 0, 10}};
  const CpuReading after = {{0, 190, 110, 0}, {1, 50, 100, 10}};
  const auto usage = usage_between(before, after);
  ASSERT_EQ(usage.cores.size(), 2U);
  EXPECT_DOUBLE_EQ(usage.cores[0].busy_pct, 90);
  EXPECT_DOUBLE_EQ(usage.cores[1].busy_pct, 0);
  EXPECT_DOUBLE_EQ(usage.steal_pct, 0);
}

TEST(CpuUsageTest, StolenTimeIsBusyTime) {
  const auto usage = usage_between({{0, 0, 0, 0}}, {{0, 100, 0, 25}});
  EXPECT_DOUBLE_EQ(usage.cores[0].busy_pct, 100);
  EXPECT_DOUBLE_EQ(usage.cores[0].steal_pct, 25);
  EXPECT_DOUBLE_EQ(usage.steal_pct, 25);
}

TEST(CpuUsageTest, ACoreThatCameOrWentIsLeftOut) {
  const auto usage = usage_between({{0, 0, 0, 0}, {1, 0, 0, 0}}, {{0, 1, 1, 0}, {2, 9, 9, 0}});
  ASSERT_EQ(usage.cores.size(), 1U);
  EXPECT_DOUBLE_EQ(usage.cores[0].busy_pct, 50);
}

TEST(CpuUsageTest, NoTimeOrABackwardCounterIsNoShare) {
  const auto usage = usage_between({{0, 10, 10, 0}}, {{0, 10, 9, 0}});
  EXPECT_DOUBLE_EQ(usage.cores[0].busy_pct, 0);
}

TEST(CpuUsageTest, BusyTimeIsOfAllCoresWithoutWhatWasStolen) {
  const auto hertz = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  const CpuReading before = {{0, 0, 0, 0}, {1, 0, 0, 0}};
  EXPECT_EQ(busy_time(before, {{0, 3 * hertz, 0, hertz}, {1, hertz, 7, 0}}), std::chrono::seconds{3});
  EXPECT_GT(own_cpu_time(), Duration::zero());
}

TEST(CpuUsageTest, AMissingFileIsNamed) { EXPECT_THROW(read_cpu_ticks("/nonexistent/stat"), CannotMeasure); }

TEST(CpuUsageTest, TheMachineHasCores) { EXPECT_GE(read_cpu_ticks().size(), 1U); }

}  // namespace
}  // namespace takt::lab
