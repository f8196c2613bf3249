// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lab/common/cgroup.hpp"
#include "lab/common/quota_group.hpp"
#include "takt/core/time.hpp"

namespace takt::lab::deadlines {

/// The counters of a control group at one moment.
struct QuotaSample {
  SteadyTime at{};
  CgroupUsage usage;
};

/// A stretch in which the CPU quota had the group stopped. The kernel counts it at its end.
struct ThrottledStretch {
  SteadyTime begin{};
  SteadyTime end{};         ///< when it was seen, so up to a sampling interval late
  double throttled_ms = 0;  ///< summed over the cores
};

/// Stretches out of consecutive samples. Pure.
std::vector<ThrottledStretch> throttled_stretches(const std::vector<QuotaSample>& samples);
/// How much of [begin, end] they cover. Pure.
Duration throttled_within(const std::vector<ThrottledStretch>& stretches, SteadyTime begin, SteadyTime end);

/// Reads the counters of this process's group every 10 ms in a thread of its own while it lives, where the
/// group has a quota; the thread is outside of the group where that is possible.
class ThrottleLog {
 public:
  /// `group`: the one that was made for the run; null: none was.
  explicit ThrottleLog(const QuotaGroup* group);
  /// Ends the thread. What it has read.
  std::vector<QuotaSample> finish();

 private:
  void sample(const std::stop_token& stop, const CgroupFiles& files);

  std::vector<QuotaSample> samples_;
  std::jthread thread_;
};

}  // namespace takt::lab::deadlines
