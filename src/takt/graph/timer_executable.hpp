// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "takt/core/timer_grid.hpp"
#include "takt/graph/executable.hpp"
#include "takt/graph/ros_clock.hpp"
#include "takt/graph/timer.hpp"

namespace takt {

/// The timer as its executor sees it. The pending slot is one atomic word, and an activation is owned by the
/// compare-and-swap that moves it on; cancel() and reset() swap the same word. So a pending event of before a
/// cancel or reset never runs (it finds another slot, or none), and no lock is needed. A slot belongs to an
/// epoch of its clock: who moves it to another one marks the epoch first, and a worker looks at the epoch
/// after it has read the slot. So no slot is compared with the time of another epoch.
///
/// On a clock whose time passes by itself the executor knows when it is due. On simulated time it listens: a
/// sample that reaches its slot makes it ready, and a jump or a change of the source moves the slot.
class TimerExecutable final : public Executable, public TimeListener {
 public:
  TimerExecutable(timing::Monitor& monitor, timing::Section& section, Duration period,
                  const TimerOptions& options, std::shared_ptr<Clock> clock, Timer::Callback callback);
  ~TimerExecutable() override;

  std::optional<timing::Outcome> run(RunContext& context) override;
  bool has_work() const noexcept override;
  SteadyTime due() const noexcept override;
  Duration period() const noexcept override { return Duration{period_ns_.load(std::memory_order_relaxed)}; }
  bool always_ready() const noexcept override { return period() == Duration::zero(); }
  void spin_begins(SteadyTime now) noexcept override;
  void time_changed(const TimeEvent& event) noexcept override;

  void cancel() noexcept;
  void reset() noexcept;
  void set_period(Duration period) noexcept;
  bool cancelled() const noexcept { return next_ns_.load() == kCancelled; }
  Duration time_until_trigger() const noexcept;
  /// Null: its clock is no ROS clock.
  RosTime* listens_to() const noexcept { return ros_ == nullptr ? nullptr : &ros_->time(); }

 private:
  static constexpr std::int64_t kCancelled = INT64_MAX;
  static constexpr std::int64_t kWaiting = INT64_MAX - 1;  // for simulated time to start
  static constexpr std::uint32_t kMoving = UINT32_MAX;     // epoch_ while the slot moves to another one

  /// What is known when an activation may begin.
  struct Look {
    ClockReading reading;
    TimeState time;
  };
  Look look(SteadyTime now) const noexcept;
  bool other_epoch(const ClockReading& reading) noexcept;
  void follow_jump(const ClockReading& reading) noexcept;
  timing::Trigger trigger(const GridStep& step, const Look& seen, SteadyTime now) noexcept;
  bool pending(std::int64_t slot, ClockTime now) const noexcept;

  /// The slot as it was, unless it lies on that epoch already or a reset puts it there.
  template <class Where>
  std::optional<std::int64_t> move_to_epoch(std::uint32_t epoch, Where where) noexcept;
  void start_grid(const ClockReading& reading, Duration first) noexcept;
  void sample_came(const TimeState& after) noexcept;
  void announce(const TimeState& after) noexcept;
  void went_back(const TimeEvent& event) noexcept;
  void source_changed(const TimeEvent& event) noexcept;

  const std::shared_ptr<Clock> clock_;
  const RosClock* const ros_;  // clock_, if it is one
  const bool monotonic_;  // the clock is the executor's own, or based on it: no conversion unless simulated
  const OverrunPolicy overrun_;
  const bool autostart_;
  const Timer::Callback callback_;
  std::atomic<std::int64_t> next_ns_{kCancelled};  // on clock_
  std::atomic<std::int64_t> period_ns_;
  std::atomic<std::int64_t> last_start_ns_{0};  // on clock_, or the grid's origin
  std::atomic<std::uint32_t> epoch_{0};
  // On simulated time:
  std::atomic<std::int64_t> first_ns_{0};               // while it waits: from the start of time to the slot
  std::atomic<std::int64_t> announced_ns_{kCancelled};  // the slot that it was made ready for
  std::atomic<std::int64_t> arrival_ns_{0};             // monotonic: of the sample that reached this slot
  std::atomic<std::uint32_t> stops_{0};                 // as they were at the last activation
};

// A worker that has taken the slot meanwhile has put another one of the old epoch there: that is moved.
template <class Where>
std::optional<std::int64_t> TimerExecutable::move_to_epoch(std::uint32_t epoch, Where where) noexcept {
  auto old = epoch_.load();
  do {
    if (old == epoch || (old == kMoving && ros_ == nullptr)) return std::nullopt;
  } while (!epoch_.compare_exchange_weak(old, kMoving));
  auto slot = next_ns_.load();
  while (epoch_.load() == kMoving) {
    const auto moved = where(slot);
    if (moved != slot && !next_ns_.compare_exchange_strong(slot, moved)) continue;
    auto moving = kMoving;
    if (epoch_.compare_exchange_strong(moving, epoch)) return slot;
  }
  return std::nullopt;
}

}  // namespace takt
