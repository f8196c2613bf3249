// SPDX-License-Identifier: Apache-2.0
#include "takt/core/cpu_list.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (Cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), Cpus{5});
  EXPECT_EQ(parse_cpu_list(""), Cpus{});
  EXPECT_EQ(parse_cpu_list("\n"), Cpus{});
}

TEST(CpuList, EndsWhereItIsNoListAnyMore) {
  EXPECT_EQ(parse_cpu_list("1,x"), Cpus{1});
  EXPECT_EQ(parse_cpu_list("3-1"), Cpus{});
  EXPECT_EQ(parse_cpu_list("0-99999999999"), Cpus{});
  EXPECT_EQ(parse_cpu_list("-1"), Cpus{});
}

TEST(CpuList, IsWrittenInRanges) {
  EXPECT_EQ(to_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(to_cpu_list({5}), "5");
  EXPECT_EQ(to_cpu_list({0, 2}), "0,2");
  EXPECT_EQ(to_cpu_list({}), "");
}

}  // namespace
}  // namespace takt
