// SPDX-License-Identifier: Apache-2.0
#include "lab/common/keep_awake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "lab/common/cgroup.hpp"
#include "lab/common/cpu_usage.hpp"
#include "lab/common/threads.hpp"

namespace takt::lab {
namespace {

/// In a group with a quota the loop would use the measured program's time up: the thread goes to the root
/// group, where that is allowed (version 1 only: in version 2 a thread cannot leave its process).
void leave_quota_group() { std::ofstream("/sys/fs/cgroup/cpu/tasks") << syscall(SYS_gettid) << std::flush; }

void burn(int cpu, bool quota, const std::atomic<bool>& stop) {
  pthread_setname_np(pthread_self(), "keep-awake");
  const sched_param lowest{};
  if (sched_setscheduler(0, SCHED_IDLE, &lowest) != 0) return;  // without it the loop would be a load
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  sched_setaffinity(0, sizeof(one), &one);
  if (quota) leave_quota_group();
  while (!stop.load(std::memory_order_relaxed)) {
  }
}

}  // namespace

KeepAwake::KeepAwake() {
  const auto group = read_cgroup();
  const bool quota = group && group->quota;
  const auto cores = read_cpu_ticks();
  try {
    for (const auto& core : cores) {
      loops_.push_back(start_thread("one that keeps a core awake",
                                    [this, cpu = core.cpu, quota] { burn(cpu, quota, stop_); }));
    }
  } catch (...) {
    end_loops();
    throw;
  }
  description_ = fmt::format("SCHED_IDLE loops on {} cores", cores.size());
  latency_file_ = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
  const std::int32_t microseconds = 0;
  if (latency_file_ >= 0 &&
      write(latency_file_, &microseconds, sizeof(microseconds)) == sizeof(microseconds)) {
    description_ += "; /dev/cpu_dma_latency held at 0 us";
  } else {
    description_ += "; /dev/cpu_dma_latency cannot be had here";
  }
  if (quota && group->version != 1) description_ += "; they count against the quota of this control group";
}

KeepAwake::~KeepAwake() {
  end_loops();
  if (latency_file_ >= 0) close(latency_file_);
}

void KeepAwake::end_loops() noexcept {
  stop_.store(true, std::memory_order_relaxed);
  for (auto& loop : loops_) loop.join();
}

}  // namespace takt::lab
