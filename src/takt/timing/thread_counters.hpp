// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::timing {

/// What the kernel has counted for one thread since it began.
struct ThreadSample {
  std::int64_t cpu_ns = 0;
  std::int64_t delay_ns = -1;  ///< ready, but waiting on a run queue; -1: not known
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t voluntary = 0;    ///< context switches
  std::uint64_t involuntary = 0;  ///< context switches
};

/// Reads the counters of the thread that made it.
class ThreadCounters {
 public:
  /// Opens /proc/thread-self/schedstat once. Where that fails the run-queue delay is not known.
  ThreadCounters();
  ~ThreadCounters();
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;

  /// Three system calls, 2 to 5 us; allocates nothing. In the thread that made it.
  ThreadSample read() const noexcept;

 private:
  int schedstat_;
};

}  // namespace takt::timing
