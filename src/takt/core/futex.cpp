// SPDX-License-Identifier: Apache-2.0
#include "takt/core/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "takt/core/machine_clock.hpp"

namespace takt::futex {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

namespace {

WaitResult wait_on(const std::atomic<std::uint32_t>& word, std::uint32_t expected, SteadyTime deadline,
                   int flags) noexcept {
  timespec absolute{};
  const timespec* timeout = nullptr;
  if (deadline != kNever) {
    absolute = machine::to_timespec(deadline.time_since_epoch());
    timeout = &absolute;
  }
  const auto result = ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | flags, expected, timeout, nullptr,
                                FUTEX_BITSET_MATCH_ANY);
  return result == -1 && errno == ETIMEDOUT ? WaitResult::timed_out : WaitResult::woken;
}

int wake_on(const std::atomic<std::uint32_t>& word, int count, int flags) noexcept {
  const auto woken = ::syscall(SYS_futex, &word, FUTEX_WAKE | flags, count, nullptr, nullptr, 0);
  return woken > 0 ? static_cast<int>(woken) : 0;
}

}  // namespace

WaitResult wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                SteadyTime deadline) noexcept {
  return wait_on(word, expected, deadline, FUTEX_PRIVATE_FLAG);
}

int wake(const std::atomic<std::uint32_t>& word, int count) noexcept {
  return wake_on(word, count, FUTEX_PRIVATE_FLAG);
}

int wake_all(const std::atomic<std::uint32_t>& word) noexcept {
  return wake(word, std::numeric_limits<int>::max());
}

WaitResult wait_shared(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       SteadyTime deadline) noexcept {
  return wait_on(word, expected, deadline, 0);
}

int wake_shared(const std::atomic<std::uint32_t>& word, int count) noexcept {
  return wake_on(word, count, 0);
}

}  // namespace takt::futex
