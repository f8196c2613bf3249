// SPDX-License-Identifier: Apache-2.0
// Quota and stolen time, read from fake trees: the machine at hand has one cgroup version only.
#include "takt/timing/system_counters.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "takt/timing/thread_counters.hpp"

namespace takt::timing {
namespace {

namespace fs = std::filesystem;

class QuotaOfAFakeTree : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) /
            ("takt_tree_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const auto file = root_ / fs::path(path).relative_path();
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  fs::path root_;
};

TEST_F(QuotaOfAFakeTree, Version2) {
  write("/proc/self/cgroup", "0::/robot.slice/control.service\n");
  write("/proc/self/mountinfo",
        "31 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  write("/sys/fs/cgroup/robot.slice/cpu.max", "50000 100000\n");
  write("/sys/fs/cgroup/robot.slice/cpu.stat", "usage_usec 9\nnr_throttled 3\nthrottled_usec 49600\n");
  write("/sys/fs/cgroup/robot.slice/control.service/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/robot.slice/control.service/cpu.stat",
        "usage_usec 9\nnr_throttled 0\nthrottled_usec 0\n");
  write("/proc/stat",
        "cpu  1 2 3 4 5 6 7 80 0 0\ncpu0 1 2 3 4 5 6 7 30 0 0\ncpu1 1 2 3 4 5 6 7 50 0 0\nintr 1\n");
  const auto quota = find_quota_file(root_);
  EXPECT_EQ(quota.version, 2);
  EXPECT_EQ(quota.path, (root_ / "sys/fs/cgroup/robot.slice/cpu.stat").string())
      << "the nearest one with a quota";
  SystemCounters counters(root_);
  EXPECT_EQ(counters.throttled(), std::nullopt) << "nothing was read yet";
  counters.refresh();
  EXPECT_EQ(counters.throttled(), 49'600'000);
  const auto tick = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  EXPECT_EQ(counters.stolen(1), 50 * tick);
  EXPECT_EQ(counters.stolen(-1), 80 * tick);
  EXPECT_EQ(counters.stolen(2), std::nullopt);
}

TEST_F(QuotaOfAFakeTree, Version1BelowItsMount) {
  write("/proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/docker/abc/inner\n0::/\n");
  write("/proc/self/mountinfo",
        "30 22 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
        "31 30 0:28 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "40 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 123456\n");
  const auto quota = find_quota_file(root_);
  EXPECT_EQ(quota.version, 1);
  SystemCounters counters(root_);
  counters.refresh();
  EXPECT_EQ(counters.throttled(), 123'456);
  EXPECT_EQ(counters.stolen(0), std::nullopt) << "no /proc/stat";
}

TEST_F(QuotaOfAFakeTree, WithoutACpuControllerNothingIsKnown) {
  write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(find_quota_file(root_).path, "");
  SystemCounters counters(root_);
  counters.refresh();
  EXPECT_EQ(counters.throttled(), std::nullopt);
}

TEST(ThreadCounters, CountThisThread) {
  const ThreadCounters counters;
  const auto before = counters.read();
  for (volatile int i = 0; i < 1'000'000;) i = i + 1;
  const auto after = counters.read();
  EXPECT_GT(after.cpu_ns, before.cpu_ns);
  EXPECT_GE(after.involuntary, before.involuntary);
}

}  // namespace
}  // namespace takt::timing
