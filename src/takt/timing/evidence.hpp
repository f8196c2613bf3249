// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::timing {

/// What the system's counters say about a missed activation. Differences are between the worker's last
/// snapshot, taken just before it waited or after an earlier miss, and the one right after the finish.
struct Evidence {
  static constexpr std::int64_t kUnknown = INT64_MIN;

  std::int64_t since_ns = 0;  ///< monotonic: the last snapshot
  std::int64_t taken_ns = 0;  ///< monotonic: the finish of the activation that it belongs to
  /// Monotonic: when the worker's wait since the last snapshot ended; kUnknown: it did not wait.
  std::int64_t wake_ns = kUnknown;
  std::int64_t cpu_ns = 0;           ///< thread CPU time
  std::int64_t delay_ns = kUnknown;  ///< time on a run queue; kUnknown: the kernel has no schedstat
  /// Thread CPU time over the last second or two, and over how long exactly.
  std::int64_t busy_ns = 0;
  std::int64_t busy_over_ns = 0;
  std::uint32_t minor_faults = 0;
  std::uint32_t major_faults = 0;
  std::uint32_t voluntary = 0;    ///< context switches, the worker's own wait taken off
  std::uint32_t involuntary = 0;  ///< context switches
  std::int32_t cpu = -1;          ///< the CPU that it ran on at the finish
  // Readings, not differences: the fold compares them with its own last ones from before `since_ns`.
  std::int64_t stolen_ns = kUnknown;     ///< of that CPU
  std::int64_t throttled_ns = kUnknown;  ///< of the process's CPU quota
};

}  // namespace takt::timing
