// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "takt/core/clock.hpp"

namespace takt {

/// CLOCK_REALTIME, watched for steps: each reading compares it with the monotonic clock, and a change of
/// their offset by more than kStep since the last reading moves the epoch (either direction) and is counted.
/// Slewing is followed silently.
class SystemClock final : public Clock {
 public:
  static constexpr Duration kStep = std::chrono::milliseconds{50};
  using Source = std::function<Duration()>;

  SystemClock();
  /// For tests: time since the epoch of the calendar and of the monotonic clock come from these.
  SystemClock(Source calendar, Source monotonic);

  ClockKind kind() const noexcept override { return ClockKind::system; }
  ClockReading read() const noexcept override;
  /// How many steps were seen.
  std::uint64_t jumps() const noexcept;

  static const std::shared_ptr<SystemClock>& instance();

 private:
  struct Sample {
    Duration now;
    Duration offset;       // calendar - monotonic
    Duration uncertainty;  // of the offset: half the time that the reading took
  };
  Sample sample() const noexcept;

  Source calendar_;
  Source monotonic_;
  // The offset of epoch e lies in offsets_[e % 4]. Whoever sees a step first writes the offset of epoch e +
  // 1, then moves the epoch on, both by compare-and-swap: a reader that is preempted in between can neither
  // repeat nor undo a step.
  mutable std::array<std::atomic<std::int64_t>, 4> offsets_ns_{};
  mutable std::atomic<std::uint32_t> epoch_{0};
};

}  // namespace takt
