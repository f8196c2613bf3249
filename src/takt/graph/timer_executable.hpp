// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "takt/core/timer_grid.hpp"
#include "takt/graph/executable.hpp"
#include "takt/graph/timer.hpp"

namespace takt {

/// The timer as its executor sees it. The pending slot is one atomic word, and an activation is owned by the
/// compare-and-swap that moves it on; cancel() and reset() swap the same word. So a pending event of before a
/// cancel or reset never runs (it finds another slot, or none), and no lock is needed.
class TimerExecutable final : public Executable {
 public:
  TimerExecutable(timing::Monitor& monitor, timing::Section& section, Duration period,
                  const TimerOptions& options, std::shared_ptr<Clock> clock, Timer::Callback callback);
  ~TimerExecutable() override;

  std::optional<timing::Outcome> run(RunContext& context) override;
  bool has_work() const noexcept override { return false; }
  SteadyTime due() const noexcept override;
  Duration period() const noexcept override { return Duration{period_ns_.load(std::memory_order_relaxed)}; }
  bool always_ready() const noexcept override { return period() == Duration::zero(); }
  void spin_begins(SteadyTime now) noexcept override;

  void cancel() noexcept;
  void reset() noexcept;
  void set_period(Duration period) noexcept;
  bool cancelled() const noexcept { return next_ns_.load() == kCancelled; }
  Duration time_until_trigger() const noexcept;

 private:
  static constexpr std::int64_t kCancelled = INT64_MAX;

  bool follow_jump(const ClockReading& reading) noexcept;

  const std::shared_ptr<Clock> clock_;
  const bool monotonic_;  // the clock is the executor's own: its readings need no conversion
  const OverrunPolicy overrun_;
  const Timer::Callback callback_;
  std::atomic<std::int64_t> next_ns_{kCancelled};  // on clock_
  std::atomic<std::int64_t> period_ns_;
  std::atomic<std::int64_t> last_start_ns_;  // on clock_, or the grid's origin
  std::atomic<std::uint32_t> epoch_;
};

}  // namespace takt
