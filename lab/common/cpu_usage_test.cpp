// SPDX-License-Identifier: Apache-2.0
#include "lab/common/cpu_usage.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "lab/common/environment.hpp"
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

TEST(CpuUsageTest, AMissingFileIsNamedWithTheReason) {
  try {
    read_cpu_ticks("/nonexistent/stat");
    FAIL();
  } catch (const CannotMeasure& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/stat: No such file"), std::string::npos);
  }
}

/// In a child process, which may open no file more: what a reading throws, or "".
std::string message_without_descriptors(void (*read)()) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{3, 3};
    setrlimit(RLIMIT_NOFILE, &none);
    std::string said;
    try {
      read();
    } catch (const CannotMeasure& error) {
      said = error.what();
    }
    _exit(write(pipe_ends[1], said.data(), said.size()) < 0 ? 1 : 0);
  }
  close(pipe_ends[1]);
  std::string text(500, ' ');
  const auto size = ::read(pipe_ends[0], text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(CpuUsageTest, WithoutADescriptorTheLimitIsNamedAndNothingIsGuessed) {
#if defined(TAKT_ASAN)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which no descriptor is left";
#endif
  for (const auto& said : {message_without_descriptors([] { read_cpu_ticks(); }),
                           message_without_descriptors([] { read_environment(); })}) {
    EXPECT_NE(said.find("Too many open files"), std::string::npos) << said;
    EXPECT_NE(said.find("ulimit -n, now 3"), std::string::npos) << said;
  }
}

TEST(CpuUsageTest, TheMachineHasCores) { EXPECT_GE(read_cpu_ticks().size(), 1U); }

}  // namespace
}  // namespace takt::lab
