// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "takt/core/time.hpp"

namespace takt::lab {

/// What one core did since boot, in the kernel's ticks.
struct CoreTicks {
  int cpu = 0;
  std::uint64_t busy = 0;   ///< neither idle nor waiting for a disk; includes what the hypervisor took
  std::uint64_t idle = 0;   ///< idle or waiting for a disk
  std::uint64_t steal = 0;  ///< taken by the hypervisor; part of busy
};

/// One reading of /proc/stat, in order of the CPU number.
using CpuReading = std::vector<CoreTicks>;

/// Errors: CannotMeasure when the file cannot be read or holds no core.
CpuReading read_cpu_ticks(const std::filesystem::path& stat = "/proc/stat");

struct CoreUsage {
  int cpu = 0;
  double busy_pct = 0;   ///< share of the time in which the core was not idle
  double steal_pct = 0;  ///< share that the hypervisor took
};

struct CpuUsage {
  std::vector<CoreUsage> cores;
  double steal_pct = 0;  ///< of all cores together
};

/// How long the cores were busy between two readings, without what the hypervisor took; all cores added up.
Duration busy_time(const CpuReading& before, const CpuReading& after);
/// What this process and its threads have had of the CPUs.
Duration own_cpu_time() noexcept;

/// What happened between two readings. A core that is in one of them only is left out; no time passed: 0 %.
CpuUsage usage_between(const CpuReading& before, const CpuReading& after);

}  // namespace takt::lab
