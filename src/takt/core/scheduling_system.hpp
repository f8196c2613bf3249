// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <string>

/// Internal to core: the calls to the kernel that scheduling.cpp makes, as a table, so that tests can refuse
/// them.
namespace takt::system {

/// The kernel's struct sched_attr (first version, 48 bytes). Not by its own name, which newer C libraries
/// define too.
struct SchedAttr {
  std::uint32_t size = 48;
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedAttr) == 48);

inline constexpr std::uint64_t kResetOnFork = 1;

/// One bit a CPU, as sched_setaffinity takes it; room for 8192 CPUs.
using CpuMask = std::array<unsigned long, 128>;

/// All of these concern the calling thread or its process. The int results are 0 or the error number.
struct Calls {
  int (*set_attr)(const SchedAttr& attr);
  int (*get_attr)(SchedAttr& attr);
  int (*set_affinity)(const CpuMask& mask);
  int (*get_affinity)(CpuMask& mask);
  int (*lock_memory)(int flags);
  rlimit (*limit)(int resource);
  std::string (*read_file)(const char* path);  ///< empty when it cannot be read
};

/// The table in use: the kernel's unless a test has put another in its place (one thread, before others read
/// it).
Calls& calls() noexcept;

}  // namespace takt::system
