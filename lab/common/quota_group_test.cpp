// SPDX-License-Identifier: Apache-2.0
#include "lab/common/quota_group.hpp"

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "lab/common/cgroup.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"

namespace takt::lab {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

const std::string kOwnPid = std::to_string(getpid());

TEST(QuotaArithmetic, CpusAreMicrosecondsOfAPeriodAndAtLeastWhatTheKernelTakes) {
  EXPECT_EQ(quota_us(1), 100'000);
  EXPECT_EQ(quota_us(0.3), 30'000);
  EXPECT_EQ(quota_us(2.5), 250'000);
  EXPECT_EQ(quota_us(0.0001), 1000);
}

/// A machine with version 2 only, on which this process is in /work/robot.
void put_version_2(const FakeTree& tree, const char* handed_on_by_work) {
  tree.put("proc/self/cgroup", "0::/work/robot\n");
  tree.put("proc/self/mountinfo", "30 20 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  for (const char* group : {"", "work/", "work/robot/"}) {
    const auto folder = std::string("sys/fs/cgroup/") + group;
    tree.put(folder + "cgroup.procs", "");
    tree.put(folder + "cgroup.controllers", "cpu memory\n");
    tree.put(folder + "cgroup.subtree_control", "");
  }
  tree.put("sys/fs/cgroup/work/cgroup.subtree_control", handed_on_by_work);
}

TEST(QuotaGroup, Version2LiesBesideTheOwnGroupTakesTheProcessAndGivesItBack) {
  const FakeTree tree;
  put_version_2(tree, "cpu memory\n");
  const auto group = tree.root() / "sys/fs/cgroup/work" / control_group_name();
  {
    const QuotaGroup quota({.cpus = 0.3, .memory = std::uint64_t{1} << 30U}, tree.root());
    EXPECT_EQ(text_of(group / "cpu.max"), "30000 100000");
    EXPECT_EQ(text_of(group / "memory.max"), "1073741824");
    EXPECT_EQ(text_of(group / "cgroup.procs"), kOwnPid);
    EXPECT_EQ(quota.version(), 2);
    EXPECT_EQ(quota.description(), "a control group of version 2, 0.3 CPUs, 1024 MiB");
    EXPECT_FALSE(quota.leave());  // no single threads
  }
  EXPECT_EQ(text_of(tree.root() / "sys/fs/cgroup/work/robot/cgroup.procs"), kOwnPid);
  EXPECT_FALSE(fs::exists(group));
}

TEST(QuotaGroup, Version2WithoutAControllerHandedOnIsRefusedWithTheFix) {
  const FakeTree tree;
  put_version_2(tree, "memory\n");
  tree.put("sys/fs/cgroup/cgroup.controllers", "memory\n");
  try {
    const QuotaGroup quota({.cpus = 0.3}, tree.root());
    ADD_FAILURE();
  } catch (const CannotMeasure& error) {
    EXPECT_THAT(error.what(), HasSubstr("cgroup.subtree_control"));
    EXPECT_THAT(error.fix(), HasSubstr("--cpu-quota"));
  }
}

/// Version 1 with both controllers, and this process in /robot.
void put_version_1(const FakeTree& tree) {
  tree.put("proc/self/cgroup", "2:cpuacct:/robot\n1:cpu:/robot\n0::/\n");
  tree.put("proc/self/mountinfo",
           "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
           "32 30 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n");
  tree.put("sys/fs/cgroup/cpu/robot/tasks", "");
  tree.put("sys/fs/cgroup/cpuacct/robot/tasks", "");
}

TEST(QuotaGroup, Version1TakesTheThreadInBothHierarchies) {
  const FakeTree tree;
  put_version_1(tree);
  const auto cpu = tree.root() / "sys/fs/cgroup/cpu/robot";
  const auto accounting = tree.root() / "sys/fs/cgroup/cpuacct/robot";
  const auto thread = std::to_string(syscall(SYS_gettid));
  {
    const QuotaGroup quota({.cpus = 1}, tree.root());
    EXPECT_EQ(text_of(cpu / control_group_name() / "cpu.cfs_quota_us"), "100000");
    EXPECT_EQ(text_of(cpu / control_group_name() / "cpu.cfs_period_us"), "100000");
    EXPECT_EQ(text_of(cpu / control_group_name() / "tasks"), thread);
    EXPECT_EQ(text_of(accounting / control_group_name() / "tasks"), thread);
    EXPECT_TRUE(quota.leave());
    EXPECT_EQ(text_of(cpu / "tasks"), thread);
  }
  EXPECT_EQ(text_of(accounting / "tasks"), thread);
  EXPECT_FALSE(fs::exists(cpu / control_group_name()));
  EXPECT_FALSE(fs::exists(accounting / control_group_name()));
}

TEST(QuotaGroup, WhatAnExceptionLeavesIsPutBack) {
  const FakeTree tree;
  put_version_1(tree);
  EXPECT_THROW(
      {
        const QuotaGroup quota({.cpus = 1}, tree.root());
        throw std::runtime_error("in the middle");
      },
      std::runtime_error);
  EXPECT_FALSE(fs::exists(tree.root() / "sys/fs/cgroup/cpu/robot" / control_group_name()));
}

TEST(QuotaGroup, GroupsOfProcessesThatAreGoneAreRemovedAndOthersStay) {
  const FakeTree tree;
  for (const char* group : {"takt-lab-2147483647", "takt-lab-1", "robot", "takt-lab-x"})
    fs::create_directories(tree.root() / group);
  remove_stale_control_groups(tree.root());
  EXPECT_FALSE(fs::exists(tree.root() / "takt-lab-2147483647"));  // beyond any pid
  for (const char* group : {"takt-lab-1", "robot", "takt-lab-x"})
    EXPECT_TRUE(fs::exists(tree.root() / group));
}

TEST(QuotaGroup, FifoInAGroupOfVersion1IsRefusedWithTheReason) {
  const FakeTree tree;
  put_version_1(tree);
  EXPECT_NO_THROW(check_fifo_in({.cpus = 1}, tree.root()));  // this kernel does not look at real-time groups
  tree.put("sys/fs/cgroup/cpu/robot/cpu.rt_runtime_us", "950000\n");
  EXPECT_NO_THROW(check_fifo_in({}, tree.root()));
  try {
    check_fifo_in({.cpus = 1}, tree.root());
    ADD_FAILURE();
  } catch (const CannotMeasure& error) {
    EXPECT_THAT(error.what(), HasSubstr("EPERM"));
    EXPECT_THAT(error.what(), HasSubstr("not held to the quota"));
  }
}

TEST(QuotaGroupTimingTest, TheKernelStopsAHogAtTheQuotaAndTheThreadComesBack) {
  const auto before = cgroup_folder("/", "cpu");
  const auto home = text_of("/proc/thread-self/cgroup");
  std::optional<QuotaGroup> quota;
  try {
    quota.emplace(GroupLimits{.cpus = 0.03});
  } catch (const CannotMeasure& error) {
    EXPECT_THAT(error.fix(), AnyOf(HasSubstr("root"), HasSubstr("--cpu-quota")));
    GTEST_SKIP() << error.what();
  }
  const auto used = read_cgroup();
  ASSERT_TRUE(used.has_value());
  ASSERT_TRUE(used->quota.has_value());
  EXPECT_DOUBLE_EQ(*used->quota, 0.03);
  std::optional<CgroupUsage> after;
  {
    const Hog hog;
    do {  // a machine that is full may take long: the test's own time limit ends it
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      after = read_cgroup();
      ASSERT_TRUE(after.has_value());
    } while (after->nr_throttled == used->nr_throttled || after->throttled_usec <= used->throttled_usec);
  }
  EXPECT_GT(after->usage_usec, used->usage_usec);
  quota.reset();
  EXPECT_EQ(text_of("/proc/thread-self/cgroup"), home);
  EXPECT_EQ(cgroup_folder("/", "cpu"), before);
}

}  // namespace
}  // namespace takt::lab
