// SPDX-License-Identifier: Apache-2.0
#include "takt/core/virtual_clock.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"

namespace takt {

VirtualClock::VirtualClock(Advance mode, SteadyTime start)
    : mode_(mode), now_ns_(start.time_since_epoch().count()) {
  waiters_.reserve(64);
}

SteadyTime VirtualClock::steady_now() const noexcept { return SteadyTime{Duration{now_ns_.load()}}; }

WaitResult VirtualClock::wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                              SteadyTime deadline) noexcept {
  if (word.load() != expected) return WaitResult::woken;
  if (mode_ == Advance::automatic && deadline != kNever) {
    if (deadline > steady_now()) advance_to(deadline);
    return WaitResult::timed_out;
  }
  return wait_for_real(word, expected, deadline);
}

WaitResult VirtualClock::wait_for_real(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                                       SteadyTime deadline) noexcept {
  const Waiter waiter{&word, deadline};
  {
    const std::lock_guard lock(mutex_);
    waiters_.push_back(&waiter);
  }
  // An advance that passes the deadline from here on wakes the word until this waiter has gone.
  if (steady_now() < deadline) futex::wait(word, expected, kNever);
  {
    const std::lock_guard lock(mutex_);
    std::erase(waiters_, &waiter);
  }
  if (word.load() != expected) return WaitResult::woken;
  return steady_now() >= deadline ? WaitResult::timed_out : WaitResult::woken;
}

void VirtualClock::sleep_until(SteadyTime deadline) noexcept {
  const std::atomic<std::uint32_t> never_woken{0};
  while (steady_now() < deadline) wait(never_woken, 0, deadline);
}

void VirtualClock::advance(Duration d) {
  TAKT_CHECK(d >= Duration::zero());
  advance_to(steady_now() + d);
}

void VirtualClock::advance_to(SteadyTime t) {
  const auto ns = t.time_since_epoch().count();
  auto now = now_ns_.load();
  TAKT_CHECK(ns >= now);
  while (now < ns && !now_ns_.compare_exchange_weak(now, ns)) {
  }
  // A waiter may be between its registration and the futex: one wake could come too early, so it is repeated.
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      bool due = false;
      for (const auto* waiter : waiters_) {
        if (waiter->deadline > t) continue;
        due = true;
        futex::wake_all(*waiter->word);
      }
      if (!due) return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
}

std::size_t VirtualClock::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiters_.size();
}

}  // namespace takt
