// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace takt::lab {

/// While it lives, no core halts: a busy loop of the scheduling class SCHED_IDLE on every core (any other
/// thread comes first), and /dev/cpu_dma_latency held at 0 where it exists. An instrument of the laboratory,
/// off by default, and said with every figure: a halted virtual core wakes up late, which is not the measured
/// program's doing.
class KeepAwake {
 public:
  /// Errors: CannotMeasure when a thread cannot be made.
  KeepAwake();
  ~KeepAwake();
  KeepAwake(const KeepAwake&) = delete;
  KeepAwake& operator=(const KeepAwake&) = delete;

  /// "SCHED_IDLE loops on 2 cores; /dev/cpu_dma_latency held at 0 us".
  const std::string& description() const noexcept { return description_; }

 private:
  void end_loops() noexcept;

  std::atomic<bool> stop_{false};
  std::vector<std::thread> loops_;
  int latency_file_ = -1;
  std::string description_;
};

}  // namespace takt::lab
