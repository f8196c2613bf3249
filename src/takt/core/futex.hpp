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

/// The same for a word in memory that several processes share, wherever each has mapped it (waiting works on
/// a read-only mapping). Costs the kernel a look-up of the page more.
WaitResult wait_shared(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       SteadyTime deadline) noexcept;
int wake_shared(const std::atomic<std::uint32_t>& word, int count = 1) noexcept;

}  // namespace takt::futex
