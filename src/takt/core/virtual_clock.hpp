// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "takt/core/clock.hpp"

namespace takt {

/// A monotonic clock that only moves when told, so that every time-dependent test is exact.
/// manual: wait() blocks for real until advance() passes the deadline or the word is woken. advance() returns
/// when every wait whose deadline it passed has ended. automatic: a wait with a deadline, and a sleep, jump
/// the clock straight to it. For one thread: a discrete-event run.
class VirtualClock final : public MonotonicClock {
 public:
  enum class Advance : std::uint8_t { manual, automatic };

  explicit VirtualClock(Advance mode = Advance::manual,
                        SteadyTime start = SteadyTime{std::chrono::seconds{1}});

  SteadyTime steady_now() const noexcept override;
  WaitResult wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                  SteadyTime deadline) noexcept override;
  void sleep_until(SteadyTime deadline) noexcept override;

  /// Moves time forward and wakes every wait whose deadline has come. Any thread. d < 0 is a bug.
  void advance(Duration d);
  void advance_to(SteadyTime t);

  /// How many threads are in wait() or sleep_until(). Any thread.
  std::size_t waiting() const;

 private:
  struct Waiter {
    const std::atomic<std::uint32_t>* word;
    SteadyTime deadline;
  };
  WaitResult wait_for_real(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                           SteadyTime deadline) noexcept;

  const Advance mode_;
  std::atomic<std::int64_t> now_ns_;
  mutable std::mutex mutex_;  // guards waiters_
  std::vector<const Waiter*> waiters_;
};

}  // namespace takt
