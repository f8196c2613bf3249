// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "takt/timing/evidence.hpp"
#include "takt/timing/verdict.hpp"

namespace takt::timing {

/// What is known about one missed activation; all times monotonic, in ns.
struct MissCase {
  std::int64_t due_ns = 0;  ///< when it could have started: its release, or the arrival of what triggered it
  std::int64_t start_ns = 0;
  std::int64_t finish_ns = 0;
  bool only_start = false;           ///< interval rule: what happened after the start does not count
  std::int64_t late_trigger_ns = 0;  ///< release to arrival
  std::int64_t blocked_ns = 0;       ///< of [due, start]: covered by other activations
  /// The longest single stretch, an activation or a gap, that the worker was awake for between the evidence's
  /// begin and the start: no hole before the start can have been longer.
  std::int64_t longest_before_ns = INT64_MAX;
  const Evidence* evidence = nullptr;
  std::int64_t stolen_ns = 0;     ///< of its CPU, since a reading from before the evidence; 0 where not known
  std::int64_t throttled_ns = 0;  ///< as before, by the CPU quota
  std::int64_t minor_fault_ns = 0;  ///< what one page fault without input or output costs on this machine
  bool real_time = false;           ///< the policy that the kernel granted
  std::int64_t rt_hole_ns = 0;      ///< sched_rt_period - sched_rt_runtime; 0: RT throttling is off
};

using Shares = std::array<std::int64_t, kCauses>;

/// How much of the response each cause explains, in ns, and which is said to be the cause: the largest share;
/// among equals the earlier in the precedence of the documentation.
struct Finding {
  Shares shares{};
  Cause cause = Cause::unknown;
  bool rt_throttled = false;  ///< `throttled` is the kernel's stop of real-time threads, not a quota
};

/// Pure. What nothing explains is `unknown`.
Finding classify(const MissCase& miss) noexcept;
Cause largest(const Shares& shares) noexcept;

}  // namespace takt::timing
