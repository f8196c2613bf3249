// SPDX-License-Identifier: Apache-2.0
#include "lab/common/environment.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "lab/common/fake_tree.hpp"

namespace takt::lab {
namespace {

constexpr auto kMounts =
    "31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "32 30 0:29 / /sys/fs/cgroup/cpuacct rw,relatime shared:7 - cgroup cgroup rw,cpuacct\n";

TEST(EnvironmentTest, HasExactlyTheKeysOfTheContract) {
  const auto json = to_json(read_environment());
  std::set<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.insert(key);
  EXPECT_EQ(keys,
            (std::set<std::string>{"kernel", "preemption", "cpu_model", "cpus_online", "governor",
                                   "virtualization", "steal_pct", "cgroup", "limits", "rt_runtime_us",
                                   "timer_slack_ns", "keep_awake", "compiler", "takt_version", "load"}));
  EXPECT_GE(json["cpus_online"], 1);
  EXPECT_TRUE(json["limits"].contains("rtprio") && json["limits"].contains("memlock"));
}

TEST(EnvironmentTest, AnEmptyTreeIsUnknownAndNoError) {
  FakeTree tree;
  const auto environment = read_environment(tree.root());
  EXPECT_EQ(environment.preemption, "unknown");
  EXPECT_EQ(environment.cpu_model, "unknown");
  EXPECT_EQ(environment.governor, "none");
  EXPECT_EQ(environment.virtualization, "none");
  EXPECT_TRUE(to_json(environment)["cgroup"].is_null());
  EXPECT_TRUE(to_json(environment)["rt_runtime_us"].is_null());
}

struct Preemption {
  const char* version;
  const char* realtime;
  const char* modes;
  const char* expected;
};

class PreemptionTest : public testing::TestWithParam<Preemption> {};

TEST_P(PreemptionTest, IsToldOrUnknown) {
  FakeTree tree;
  tree.put("proc/sys/kernel/version", GetParam().version);
  if (GetParam().realtime != nullptr) tree.put("sys/kernel/realtime", GetParam().realtime);
  if (GetParam().modes != nullptr) tree.put("sys/kernel/debug/sched/preempt", GetParam().modes);
  EXPECT_EQ(read_environment(tree.root()).preemption, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, PreemptionTest,
    testing::Values(Preemption{"#1 SMP PREEMPT_RT Debian", nullptr, nullptr, "rt"},
                    Preemption{"#1 SMP", "1\n", nullptr, "rt"},
                    Preemption{"#1 SMP PREEMPT_DYNAMIC", nullptr, "none voluntary (full)\n", "full"},
                    Preemption{"#1 SMP PREEMPT_DYNAMIC", nullptr, "(none) voluntary full lazy\n", "none"},
                    Preemption{"#1 SMP PREEMPT_DYNAMIC", nullptr, nullptr, "unknown"},
                    Preemption{"#1 SMP PREEMPT Tue", nullptr, nullptr, "full"},
                    Preemption{"#1 SMP Tue", nullptr, nullptr, "unknown"}));

TEST(EnvironmentTest, ReadsTheMachine) {
  FakeTree tree;
  tree.put("proc/sys/kernel/osrelease", "6.1.0\n");
  tree.put("proc/sys/kernel/version", "#1 SMP\n");
  tree.put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu hypervisor sse\n");
  tree.put("sys/devices/system/cpu/online", "0-3,6\n");
  tree.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  tree.put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  tree.put("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
  tree.put("proc/self/timerslack_ns", "50000\n");
  tree.put("proc/self/limits",
           "Limit                     Soft Limit           Hard Limit           Units     \n"
           "Max locked memory         unlimited            unlimited            bytes     \n"
           "Max realtime priority     98                   99                   \n");
  const auto environment = read_environment(tree.root());
  EXPECT_EQ(environment.kernel, "6.1.0 #1 SMP");
  EXPECT_EQ(environment.cpu_model, "Some CPU @ 3 GHz");
  EXPECT_EQ(environment.cpus_online, 5);
  EXPECT_EQ(environment.governor, "performance, powersave");
  EXPECT_EQ(environment.virtualization, "unknown hypervisor");
  EXPECT_EQ(environment.rt_runtime_us, -1);
  EXPECT_EQ(environment.timer_slack_ns, 50000);
  EXPECT_EQ(environment.rtprio_limit, 98U);
  EXPECT_EQ(to_json(environment)["limits"]["memlock"], "unlimited");
}

TEST(EnvironmentTest, CgroupVersionOneCountsInNanoseconds) {
  FakeTree tree;
  tree.put("proc/self/cgroup", "9:name=systemd:/\n2:cpuacct:/\n1:cpu:/robot\n0::/\n");
  tree.put("proc/self/mountinfo", kMounts);
  tree.put("sys/fs/cgroup/cpu/robot/cpu.stat", "nr_periods 10\nnr_throttled 3\nthrottled_time 2500000\n");
  tree.put("sys/fs/cgroup/cpu/robot/cpu.cfs_quota_us", "150000\n");
  tree.put("sys/fs/cgroup/cpu/robot/cpu.cfs_period_us", "100000\n");
  tree.put("sys/fs/cgroup/cpuacct/cpuacct.usage", "9000000\n");
  const auto group = read_environment(tree.root()).cgroup;
  ASSERT_TRUE(group);
  EXPECT_EQ(group->version, 1);
  EXPECT_DOUBLE_EQ(group->quota.value_or(0), 1.5);
  EXPECT_EQ(group->nr_throttled, 3U);
  EXPECT_DOUBLE_EQ(group->throttled_usec, 2500);
  EXPECT_DOUBLE_EQ(group->usage_usec, 9000);
}

TEST(EnvironmentTest, CgroupVersionTwoCountsInMicroseconds) {
  FakeTree tree;
  tree.put("proc/self/cgroup", "0::/user.slice/robot\n");
  tree.put("proc/self/mountinfo",
           "40 30 0:37 /user.slice /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
  tree.put("sys/fs/cgroup/robot/cpu.stat",
           "usage_usec 77\nnr_periods 4\nnr_throttled 1\nthrottled_usec 12\n");
  tree.put("sys/fs/cgroup/robot/cpu.max", "max 100000\n");
  const auto group = read_environment(tree.root()).cgroup;
  ASSERT_TRUE(group);
  EXPECT_EQ(group->version, 2);
  EXPECT_FALSE(group->quota);
  EXPECT_DOUBLE_EQ(group->throttled_usec, 12);
  EXPECT_DOUBLE_EQ(group->usage_usec, 77);
}

TEST(EnvironmentTest, AProbeGivesWhatHappenedInBetween) {
  FakeTree tree;
  tree.put("proc/stat", "cpu0 100 0 0 100 0 0 0 0 0 0\n");
  tree.put("proc/self/cgroup", "1:cpu:/\n");
  tree.put("proc/self/mountinfo", kMounts);
  tree.put("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 10\nnr_throttled 3\nthrottled_time 2000000\n");
  const EnvironmentProbe probe(tree.root());
  tree.put("proc/stat", "cpu0 180 0 0 110 0 0 0 10 0 0\n");
  tree.put("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 15\nnr_throttled 4\nthrottled_time 5000000\n");
  const auto environment = probe.finish();
  EXPECT_DOUBLE_EQ(environment.steal_pct, 10);
  ASSERT_EQ(environment.load.busy_pct.size(), 1U);
  EXPECT_DOUBLE_EQ(environment.load.busy_pct[0], 90);
  EXPECT_EQ(environment.cgroup->nr_periods, 5U);
  EXPECT_EQ(environment.cgroup->nr_throttled, 1U);
  EXPECT_DOUBLE_EQ(environment.cgroup->throttled_usec, 3000);
}

}  // namespace
}  // namespace takt::lab
