// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "takt/core/clock.hpp"

namespace takt {

/// CLOCK_REALTIME, watched for steps: each reading compares it with the monotonic clock, and a change of their offset by
/// more than kStep since the last reading moves the epoch (either direction) and is counted. Slewing is followed silently.
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
  Source calendar_;
  Source monotonic_;
  mutable std::atomic<std::int64_t> offset_ns_{0};
  mutable std::atomic<std::uint32_t> epoch_{0};
};

}  // namespace takt
