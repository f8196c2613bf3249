// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "takt/core/clock.hpp"

namespace takt::futex {

/// Waits on CLOCK_MONOTONIC while `word` holds `expected`, until woken or `deadline` (kNever: no timeout). An
/// interrupted or spurious wait returns `woken`. Process-private. May block; one system call.
WaitResult wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, SteadyTime deadline) noexcept;

/// Wakes at most `count` waiters of `word`, highest real-time priority first. One system call, never blocks.
/// Returns how many were woken.
int wake(const std::atomic<std::uint32_t>& word, int count = 1) noexcept;
int wake_all(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace takt::futex
