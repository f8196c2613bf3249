// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::timing {

/// What one first touch of a page costs here, in ns: median of a few, measured once per process. Some 100 us
/// the first time.
std::int64_t minor_fault_cost_ns() noexcept;

/// For how long of each second the kernel stops real-time threads (sched_rt_period_us - sched_rt_runtime_us),
/// in ns; 0: never.
std::int64_t rt_throttling_hole_ns();

/// What recording one activation costs here, warm, in ns: median of a few runs, measured once per process. 0
/// when the calling thread has a real-time policy and nobody has measured it before: it is no place to
/// measure in.
double recording_cost_ns();

}  // namespace takt::timing
