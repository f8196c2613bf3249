// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "takt/core/time.hpp"

namespace takt {

/// Counts the whole periods that pass without a message. One word holds when the present period began: a
/// message moves it to its own time, a look by whole periods. Whoever moves it counts the periods it moved
/// over, so each is counted once, however late anybody looks. Any thread. Real-time: lock-free.
class Silence {
 public:
  explicit Silence(Duration longest) noexcept : longest_(longest) {}
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  Duration longest() const noexcept { return longest_; }

  /// Counts from now on. False: it does already.
  bool begin(SteadyTime now) noexcept;
  bool begun() const noexcept { return since_ns_.load(std::memory_order_relaxed) != kNotBegun; }
  /// What passed before is not counted.
  void begin_anew(SteadyTime now) noexcept { move_to(now, false); }

  /// A message was sent at `at`. One older than the present period changes nothing. `in_order`: none was sent
  /// before it that is heard of later; else the time before it may not have been silent, and is not counted.
  void heard(SteadyTime at, bool in_order) noexcept { move_to(at, in_order); }

  /// Counts what has passed until now. `newest`: a message of that time is known of, but has not been heard.
  /// False: nothing was counted, because messages up to it are being heard one after the other, and say what
  /// was between them. Who looks again after a whole period without a further one counts from the newest on.
  bool look(SteadyTime now, SteadyTime newest) noexcept;
  /// When the next look will find something unless a message is heard before; kNever when not begun.
  SteadyTime next_look(SteadyTime newest) const noexcept;

  /// Periods counted since the last call.
  std::uint64_t take() noexcept { return passed_.exchange(0, std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t kNotBegun = INT64_MAX;

  void move_to(SteadyTime at, bool counts) noexcept;
  /// Deadlines strictly between the two: a message at the deadline is in time.
  std::int64_t periods(std::int64_t from_ns, std::int64_t to_ns) const noexcept {
    return to_ns - from_ns <= longest_.count() ? 0 : (to_ns - from_ns - 1) / longest_.count();
  }

  const Duration longest_;
  std::atomic<std::int64_t> since_ns_{kNotBegun};
  // since_ns_ when a look last left the time to messages that are being heard.
  std::atomic<std::int64_t> awaited_ns_{kNotBegun};
  std::atomic<std::uint64_t> passed_{0};
};

}  // namespace takt
