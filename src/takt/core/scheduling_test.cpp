// SPDX-License-Identifier: Apache-2.0
#include "takt/core/scheduling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/core/scheduling_system.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

#if defined(TAKT_ASAN) || defined(TAKT_TSAN)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

void in_a_thread(const std::function<void()>& body) { std::thread(body).join(); }

std::string refusal(const ThreadOptions& options) {
  std::string text = "granted";
  in_a_thread([&] {
    try {
      apply_to_this_thread(options);
    } catch (const SetupError& e) {
      text = e.what();
    }
  });
  return text;
}

// --- What it is called

TEST(Scheduling, IsShownInWords) {
  EXPECT_EQ(to_string(Scheduling{}), "as it was");
  EXPECT_EQ(to_string(Other{}), "OTHER");
  EXPECT_EQ(to_string(Other{5}), "OTHER nice 5");
  EXPECT_EQ(to_string(Other{0, Share::batch}), "BATCH");
  EXPECT_EQ(to_string(Other{0, Share::idle}), "IDLE");
  EXPECT_EQ(to_string(Fifo{80}), "FIFO 80");
  EXPECT_EQ(to_string(RoundRobin{10}), "RR 10");
  EXPECT_EQ(to_string(DeadlineScheduling{2ms, 10ms, 10ms}), "DEADLINE 2 ms / 10 ms / 10 ms");
}

TEST(Scheduling, KnowsWhatIsRealTime) {
  EXPECT_TRUE(is_real_time(Fifo{}));
  EXPECT_TRUE(is_real_time(RoundRobin{}));
  EXPECT_TRUE(is_real_time(DeadlineScheduling{}));
  EXPECT_FALSE(is_real_time(Other{}));
  EXPECT_FALSE(is_real_time(Inherit{}));
}

// --- Values that no kernel accepts: refused even when not required

TEST(Scheduling, RefusesImpossiblePriorities) {
  EXPECT_THAT(refusal({.scheduling = Fifo{0}, .required = false}),
              HasSubstr("SCHED_FIFO 0: the priority is out of 1 .. 98"));
  EXPECT_THAT(refusal({.scheduling = RoundRobin{-3}, .required = false}), HasSubstr("SCHED_RR -3"));
  EXPECT_THAT(refusal({.scheduling = Fifo{100, true}, .required = false}), HasSubstr("100"));
  EXPECT_THAT(refusal({.scheduling = Fifo{99}, .required = false}),
              HasSubstr("watchdogs; use at most 98, or force it"));
  EXPECT_THAT(refusal({.scheduling = Other{20}, .required = false}), HasSubstr("OTHER nice 20"));
  EXPECT_THROW(real_time_permission(99), SetupError);
}

TEST(Scheduling, RefusesImpossibleDeadlines) {
  EXPECT_THAT(refusal({.scheduling = DeadlineScheduling{10ms, 5ms, 20ms}}),
              HasSubstr("runtime <= deadline <= period"));
  EXPECT_THAT(refusal({.scheduling = DeadlineScheduling{1ms, 5ms, 2ms}}),
              HasSubstr("runtime <= deadline <= period"));
  EXPECT_THAT(refusal({.scheduling = DeadlineScheduling{1us, 5ms, 5ms}}), HasSubstr("1024 ns"));
  EXPECT_THAT(refusal({.scheduling = DeadlineScheduling{1ms, 5ms, 5ms}, .cpus = {0}}),
              HasSubstr("choice of CPUs"));
}

TEST(Scheduling, NamesACpuThatDoesNotExistAndThoseThatDo) {
  EXPECT_THAT(refusal({.cpus = {0, 5000}, .required = false}),
              HasSubstr("CPU 5000 does not exist or is offline; choose among those online: 0"));
  EXPECT_THAT(refusal({.cpus = {-1}, .required = false}), HasSubstr("CPU -1 does not exist"));
}

TEST(Scheduling, RefusesATimerSlackBelowOneNanosecond) {
  EXPECT_THAT(refusal({.timer_slack = 0ns}), HasSubstr("use at least 1 ns"));
}

// --- With this machine's kernel

TEST(Scheduling, ReadsBackWhatWasAppliedInTheCallingThread) {
  const auto here = this_thread_state();
  in_a_thread([] {
    const auto state = apply_to_this_thread(
        {.name = "a-name-longer-than-15", .scheduling = Other{7}, .cpus = {0}, .timer_slack = 1ns});
    EXPECT_EQ(state.name, "a-name-longer-t");
    EXPECT_EQ(to_string(state.scheduling), "OTHER nice 7");
    EXPECT_THAT(state.cpus, ElementsAre(0));
    EXPECT_EQ(state.timer_slack, 1ns);
    EXPECT_THAT(state.refused, IsEmpty());
    EXPECT_EQ(this_thread_state().name, state.name);
  });
  EXPECT_EQ(this_thread_state().name, here.name);
  EXPECT_EQ(this_thread_state().cpus, here.cpus);
}

TEST(Scheduling, LeavesEverythingWhenNothingIsAsked) {
  in_a_thread([] {
    const auto before = this_thread_state();
    const auto after = apply_to_this_thread({});
    EXPECT_EQ(after.name, before.name);
    EXPECT_EQ(after.cpus, before.cpus);
    EXPECT_EQ(to_string(after.scheduling), to_string(before.scheduling));
    EXPECT_EQ(after.timer_slack, before.timer_slack);
  });
}

TEST(Scheduling, AppliesBatchAndIdle) {
  in_a_thread([] {
    EXPECT_EQ(to_string(apply_to_this_thread({.scheduling = Other{0, Share::batch}}).scheduling), "BATCH");
    EXPECT_EQ(to_string(apply_to_this_thread({.scheduling = Other{0, Share::idle}}).scheduling), "IDLE");
  });
}

TEST(Scheduling, GrantsRealTimeWithoutPassingItOnWhereItIsAllowed) {
  if (!real_time_permission(10).granted) GTEST_SKIP() << real_time_permission(10).fix;
  for (const Scheduling& asked : {Scheduling{Fifo{10}}, Scheduling{RoundRobin{11}}}) {
    in_a_thread([&] {
      const auto state = apply_to_this_thread({.scheduling = asked});
      EXPECT_EQ(to_string(state.scheduling), to_string(asked));
      in_a_thread([] { EXPECT_EQ(to_string(this_thread_state().scheduling), "OTHER"); });
    });
  }
}

TEST(Scheduling, GrantsDeadlineWhereItIsAllowed) {
  in_a_thread([] {
    const auto state =
        apply_to_this_thread({.scheduling = DeadlineScheduling{100us, 10ms, 10ms}, .required = false});
    if (!state.refused.empty()) GTEST_SKIP() << state.refused.front();
    EXPECT_EQ(to_string(state.scheduling), "DEADLINE 100 us / 10 ms / 10 ms");
  });
}

/// Takes a whole CPU's worth of deadline time in a thread of its own, and again inside it, until it is
/// refused.
std::string fill_up_deadline_time(int threads_left) {
  std::string text;
  in_a_thread([&] {
    const auto state =
        apply_to_this_thread({.scheduling = DeadlineScheduling{10ms, 10ms, 10ms}, .required = false});
    if (!state.refused.empty()) {
      text = state.refused.front();
    } else if (threads_left > 0) {
      text = fill_up_deadline_time(threads_left - 1);
    }
  });
  return text;
}

TEST(Scheduling, NamesTheAdmissionWhenTooMuchDeadlineTimeIsAsked) {
  const auto text = fill_up_deadline_time(static_cast<int>(std::thread::hardware_concurrency()));
  if (text.find("EBUSY") == std::string::npos) GTEST_SKIP() << "no deadline scheduling here: " << text;
  EXPECT_THAT(text, HasSubstr("have not so much time left for deadline threads; ask for a smaller runtime"));
}

TEST(Scheduling, LocksMemoryAndReadsItBack) {
  in_a_thread([] {
    const auto state = apply_to_this_thread({.lock_memory = true, .required = false});
    if (kSanitizer) {
      EXPECT_FALSE(state.memory_locked);
      EXPECT_THAT(state.refused, IsEmpty());
    } else if (state.refused.empty()) {
      EXPECT_TRUE(state.memory_locked);
      ::munlockall();
      EXPECT_FALSE(this_thread_state().memory_locked);
    } else {
      EXPECT_THAT(state.refused.front(), HasSubstr("RLIMIT_MEMLOCK"));
    }
  });
}

TEST(Scheduling, TouchesTheStackAndRefusesMoreThanThereIs) {
  in_a_thread([] { EXPECT_THAT(apply_to_this_thread({.prefault_stack = 512UL * 1024}).refused, IsEmpty()); });
  EXPECT_THAT(refusal({.prefault_stack = std::size_t{1} << 40}), HasSubstr("KiB of stack cannot be touched"));
}

TEST(ThreadStateGuard, PutsEverythingBack) {
  in_a_thread([] {
    apply_to_this_thread({.name = "before", .scheduling = Other{3}, .timer_slack = 1234ns});
    const auto before = this_thread_state();
    {
      const ThreadStateGuard guard;
      apply_to_this_thread({.name = "meanwhile", .scheduling = Fifo{10}, .cpus = {0}, .required = false});
      EXPECT_EQ(this_thread_state().name, "meanwhile");
    }
    const auto after = this_thread_state();
    EXPECT_EQ(after.name, before.name);
    EXPECT_EQ(after.cpus, before.cpus);
    EXPECT_EQ(to_string(after.scheduling), "OTHER nice 3");
    EXPECT_EQ(after.timer_slack, 1234ns);
  });
}

// --- With a kernel that refuses

/// Puts a table in place of the kernel's calls. The fake machine has CPUs 0-3 and no privilege unless the
/// test says otherwise.
class SchedulingRefused : public ::testing::Test {
 protected:
  SchedulingRefused() {
    fake = {};
    fake.files["/sys/devices/system/cpu/online"] = "0-3\n";
    fake.files["/proc/thread-self/status"] = "Name:\tx\nCapEff:\t0000000000000000\n";
    system::calls() = {
        [](const system::SchedAttr& attr) {
          if (fake.set_attr_error == 0) fake.attr = attr;
          return fake.set_attr_error;
        },
        [](system::SchedAttr& attr) {
          attr = fake.attr;
          return 0;
        },
        [](const system::CpuMask& mask) {
          if (fake.set_affinity_error == 0) fake.cpus = mask;
          for (std::size_t i = 0; i < mask.size(); ++i) fake.cpus[i] &= i == 0 ? fake.cpuset : 0;
          return fake.set_affinity_error;
        },
        [](system::CpuMask& mask) {
          mask = fake.cpus;
          return 0;
        },
        [](int) { return fake.lock_error; },
        [](int) {
          return rlimit{fake.limit, fake.limit};
        },
        [](const char* path) { return fake.files[path]; },
    };
  }
  ~SchedulingRefused() override { system::calls() = saved_; }

  static void give_capabilities() { fake.files["/proc/thread-self/status"] = "CapEff:\t000001ffffffffff\n"; }

  struct Fake {
    int set_attr_error = 0;
    int set_affinity_error = 0;
    int lock_error = 0;
    rlim_t limit = 0;
    unsigned long cpuset = 0xF;
    system::SchedAttr attr{};
    system::CpuMask cpus{0xF};
    std::map<std::string, std::string> files;
  };
  static Fake fake;

 private:
  system::Calls saved_ = system::calls();
};
SchedulingRefused::Fake SchedulingRefused::fake;

TEST_F(SchedulingRefused, NamesTheRtprioLimitAndTheWaysToRaiseIt) {
  fake.set_attr_error = EPERM;
  fake.limit = 10;
  EXPECT_THAT(
      refusal({.name = "control", .scheduling = Fifo{80}}),
      AllOf(HasSubstr("thread 'control': FIFO 80 was refused (EPERM)"),
            HasSubstr("priorities is 10 (RLIMIT_RTPRIO"), HasSubstr("/etc/security/limits.d/"),
            HasSubstr("rtprio 98"), HasSubstr("setcap cap_sys_nice+ep"), HasSubstr("LimitRTPRIO=98")));
}

TEST_F(SchedulingRefused, GoesOnAndSaysSoWhenNotRequired) {
  fake.set_attr_error = EPERM;
  const auto state = apply_to_this_thread({.scheduling = Fifo{80}, .required = false});
  ASSERT_EQ(state.refused.size(), 1U);
  EXPECT_THAT(state.refused[0], HasSubstr("RLIMIT_RTPRIO"));
  EXPECT_EQ(to_string(state.scheduling), "OTHER");
  const auto permission = real_time_permission();
  EXPECT_FALSE(permission.granted);
  EXPECT_THAT(permission.fix, HasSubstr("LimitRTPRIO"));
}

TEST_F(SchedulingRefused, NamesTheControlGroupWithoutRealTimeBudget) {
  fake.set_attr_error = EPERM;
  give_capabilities();
  fake.files["/proc/thread-self/cgroup"] = "9:name=systemd:/\n4:cpu,cpuacct:/robots/arm\n0::/\n";
  fake.files["/proc/self/mountinfo"] =
      "30 22 0:27 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
      "32 30 0:29 / /sys/fs/cgroup/cpuset rw shared:3 - cgroup cgroup rw,cpuset\n"
      "33 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:4 - cgroup cgroup rw,cpu,cpuacct\n";
  const std::string file = "/sys/fs/cgroup/cpu,cpuacct/robots/arm/cpu.rt_runtime_us";
  fake.files[file] = "0\n";
  EXPECT_THAT(refusal({.scheduling = Fifo{80}}),
              AllOf(HasSubstr("CPU cgroup /robots/arm has cpu.rt_runtime_us = 0"), HasSubstr("> " + file)));
  fake.files[file] = "950000\n";
  EXPECT_THAT(refusal({.scheduling = Fifo{80}}), HasSubstr("although the limits allow it"));
}

TEST_F(SchedulingRefused, FindsTheControlGroupWhenOnlyAPartOfTheHierarchyIsMounted) {
  fake.set_attr_error = EPERM;
  give_capabilities();
  fake.files["/proc/thread-self/cgroup"] = "4:cpu:/docker/abc/sub\n";
  fake.files["/proc/self/mountinfo"] =
      "33 30 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
  fake.files["/sys/fs/cgroup/cpu/sub/cpu.rt_runtime_us"] = "0\n";
  EXPECT_THAT(refusal({.scheduling = RoundRobin{5}}), HasSubstr("/sys/fs/cgroup/cpu/sub/cpu.rt_runtime_us"));
}

TEST_F(SchedulingRefused, TellsTheReasonsOfADeadlineRefusalApart) {
  const ThreadOptions deadline{.scheduling = DeadlineScheduling{1ms, 10ms, 10ms}};
  fake.set_attr_error = EPERM;
  EXPECT_THAT(refusal(deadline), HasSubstr("needs CAP_SYS_NICE"));
  give_capabilities();
  fake.cpus = {0x3};
  EXPECT_THAT(refusal(deadline), HasSubstr("the thread may run on 2 of 4 CPUs"));
  fake.set_attr_error = EBUSY;
  EXPECT_THAT(refusal(deadline), AllOf(HasSubstr("EBUSY"), HasSubstr("smaller runtime / period")));
  fake.set_attr_error = EINVAL;
  EXPECT_THAT(refusal(deadline), HasSubstr("sched_deadline_period_min_us"));
}

TEST_F(SchedulingRefused, NamesTheNiceLimit) {
  fake.set_attr_error = EPERM;
  fake.limit = 15;
  EXPECT_THAT(refusal({.scheduling = Other{-5}}),
              AllOf(HasSubstr("cannot go below 5 (RLIMIT_NICE)"), HasSubstr("LimitNICE=-5")));
}

TEST_F(SchedulingRefused, NamesAnyOtherError) {
  fake.set_attr_error = ENOSYS;
  EXPECT_THAT(refusal({.scheduling = Fifo{80}}), HasSubstr("FIFO 80 was refused (ENOSYS: "));
}

TEST_F(SchedulingRefused, SaysWhenTheKernelGrantedSomethingElse) {
  const auto keep = system::calls().set_attr;
  system::calls().set_attr = [](const system::SchedAttr&) { return 0; };
  EXPECT_THAT(refusal({.scheduling = Fifo{80}}),
              HasSubstr("FIFO 80 was asked, but the thread runs with OTHER"));
  system::calls().set_attr = keep;
}

TEST_F(SchedulingRefused, NamesTheCpusOfTheCpuset) {
  fake.cpuset = 0x3;
  EXPECT_THAT(refusal({.cpus = {1, 2}}),
              HasSubstr("CPUs 1-2 were refused: the thread's cpuset lets it run on 1"));
  fake.set_affinity_error = EINVAL;
  EXPECT_THAT(refusal({.cpus = {3}}), HasSubstr("CPUs 3 were refused: the thread's cpuset lets it run on"));
  EXPECT_THAT(refusal({.cpus = {4}}),
              HasSubstr("CPU 4 does not exist or is offline; choose among those online: 0-3"));
}

TEST_F(SchedulingRefused, NamesTheLimitOfLockedMemory) {
  if (kSanitizer) GTEST_SKIP() << "memory is not locked under a sanitizer";
  fake.limit = 8192UL * 1024;
  for (const int error : {EPERM, ENOMEM}) {
    fake.lock_error = error;
    EXPECT_THAT(refusal({.lock_memory = true}),
                AllOf(HasSubstr("locked memory is 8192 KiB (RLIMIT_MEMLOCK"), HasSubstr("memlock unlimited"),
                      HasSubstr("cap_ipc_lock+ep"), HasSubstr("LimitMEMLOCK=infinity")));
  }
}

TEST_F(SchedulingRefused, SetsResetOnForkWithRealTimePoliciesOnly) {
  apply_to_this_thread({.scheduling = Fifo{80}});
  EXPECT_EQ(fake.attr.flags, system::kResetOnFork);
  EXPECT_EQ(fake.attr.priority, 80U);
  apply_to_this_thread({.scheduling = Other{}});
  EXPECT_EQ(fake.attr.flags, 0U);
}

TEST_F(SchedulingRefused, KeepsResetOnForkWhenTheKernelDoesNotLetItGo) {
  fake.attr.flags = system::kResetOnFork;
  system::calls().set_attr = [](const system::SchedAttr& attr) {
    if ((attr.flags & system::kResetOnFork) == 0) return EPERM;
    fake.attr = attr;
    return 0;
  };
  EXPECT_EQ(refusal({.scheduling = Other{4}}), "granted");
  EXPECT_EQ(fake.attr.nice, 4);
}

}  // namespace
}  // namespace takt
