// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

/// How late a periodic thread starts, at 1 kHz with SCHED_FIFO: takt and the floors without it. Microseconds.
namespace takt::lab::performance {

inline constexpr int kPriority = 80;

/// One 1 kHz timer on a FIFO executor.
std::vector<double> timer_lateness(std::size_t samples);
/// Ten timers of 1 to 10 ms on one FIFO executor: the lateness of all of them.
std::vector<double> ten_timers_lateness(std::size_t samples_of_the_fastest);
/// A loop over clock_nanosleep with absolute times.
std::vector<double> nanosleep_lateness(std::size_t samples);
/// cyclictest of Debian's rt-tests, one thread, as a child process; its histogram has a resolution of 1 us.
/// Errors: CannotMeasure when it is missing.
std::vector<double> cyclictest_lateness(std::size_t samples);

}  // namespace takt::lab::performance
