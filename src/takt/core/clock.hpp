// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "takt/core/time.hpp"

namespace takt {

enum class ClockKind : std::uint8_t { steady, system, simulated };

/// "steady", "system" or "simulated".
const char* to_string(ClockKind kind) noexcept;

/// One consistent reading. The epoch moves when time jumps backward or its source changes; a grid slot of an
/// older epoch is never released. `started` is false while a simulated clock has not received a sample.
struct ClockReading {
  ClockTime now;
  std::uint32_t epoch = 0;
  bool started = true;
};

/// A clock that a timer can lie on. Only main and this folder read the machine's clocks; all else is given
/// one of these.
class Clock {
 public:
  using SharedPtr = std::shared_ptr<Clock>;

  virtual ~Clock() = default;
  virtual ClockKind kind() const noexcept = 0;
  /// Real-time: wait-free (lock-free for a clock that is set by another thread).
  virtual ClockReading read() const noexcept = 0;

  ClockTime now() const noexcept { return read().now; }
};

enum class WaitResult : std::uint8_t { woken, timed_out };

/// The monotonic clock that an executor runs on, and the only place where takt waits: real (SteadyClock) or
/// virtual. ClockTime and SteadyTime readings of such a clock have the same number.
class MonotonicClock : public Clock {
 public:
  ClockKind kind() const noexcept override { return ClockKind::steady; }
  ClockReading read() const noexcept final { return {ClockTime{steady_now().time_since_epoch()}, 0, true}; }

  /// Real-time: wait-free.
  virtual SteadyTime steady_now() const noexcept = 0;

  /// Blocks until `word` no longer holds `expected`, a wake of `word`, or `deadline` (kNever: no timeout).
  /// Spurious `woken` results are allowed. `woken` is returned at once when the word differs. May block; one
  /// system call.
  virtual WaitResult wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                          SteadyTime deadline) noexcept = 0;

  /// May block. Under a virtual clock that advances by itself, sleeping advances it.
  virtual void sleep_until(SteadyTime deadline) noexcept = 0;
  void sleep_for(Duration d) noexcept { sleep_until(steady_now() + d); }
};

}  // namespace takt
