// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <algorithm>

#include "takt/core/time.hpp"

/// Internal to core: the one place that reads the machine's clocks.
namespace takt::machine {

/// Real-time: wait-free (no system call where the kernel's vDSO serves the clock).
inline Duration read(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
}

/// An absolute time as the kernel takes it; before zero counts as zero (it has passed).
inline timespec to_timespec(Duration since_zero) noexcept {
  const auto ns = std::max<std::int64_t>(since_zero.count(), 0);
  timespec t{};
  t.tv_sec = ns / 1'000'000'000;
  t.tv_nsec = ns % 1'000'000'000;
  return t;
}

}  // namespace takt::machine
