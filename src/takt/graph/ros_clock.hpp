// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "takt/core/clock.hpp"
#include "takt/graph/ros_time.hpp"

namespace takt {

/// Of a RosClock's readings: the source's epoch in the upper half, that of the base in the lower one.
constexpr std::uint32_t source_epoch(const TimeState& state) noexcept { return state.epoch << 16U; }
constexpr bool same_source(std::uint32_t a, std::uint32_t b) noexcept { return a >> 16U == b >> 16U; }

/// The clock of a node: the simulated time of /clock while use_sim_time is on, else what it is based on (the
/// calendar for Node::get_clock(), the monotonic clock for timers). Any thread.
class RosClock final : public Clock {
 public:
  using SharedPtr = std::shared_ptr<RosClock>;

  RosClock(std::shared_ptr<RosTime> time, std::shared_ptr<Clock> base);

  /// simulated while use_sim_time is on.
  ClockKind kind() const noexcept override;
  /// Real-time: lock-free.
  ClockReading read() const noexcept override { return read(time_->state()); }
  ClockReading read(const TimeState& state) const noexcept;

  /// use_sim_time is on, whether or not a sample has come. Real-time: lock-free.
  bool ros_time_is_active() const noexcept { return time_->state().active; }
  /// Its time runs: always, but for simulated time before the first sample. Real-time: lock-free.
  bool started() const noexcept;
  /// Blocks until it has started; false at a shutdown of the context or after `timeout` (negative: none) of
  /// wall time. Not from the thread that serves /clock.
  bool wait_until_started(Duration timeout = Duration{-1});

  /// Blocks until its time is `until`; a simulation that is paused lasts, and a calendar that is set forward
  /// meanwhile is not noticed before the time that was left has passed. False when the context is shut down
  /// or the source changes meanwhile. Not from the thread that serves /clock, which time would wait for.
  bool sleep_until(ClockTime until);
  /// sleep_until(now + d); the largest one never ends by itself.
  bool sleep_for(Duration d);

  /// `pre` runs before the new time is visible, `post` after, both in the thread that serves /clock (or
  /// changes the source): they hold it up, and may neither change the source nor wait for a callback that
  /// makes or drops timers of the node (dropping a timer waits for its callback). Either may be empty.
  /// Errors: SetupError for a threshold of the wrong sign.
  JumpHandler::SharedPtr create_jump_callback(JumpHandler::PreCallback pre, JumpHandler::PostCallback post,
                                              const JumpThreshold& threshold);

  RosTime& time() const noexcept { return *time_; }
  const Clock& base() const noexcept { return *base_; }

 private:
  SteadyTime when(ClockTime t) const noexcept;  // by the monotonic clock, without simulated time

  const std::shared_ptr<RosTime> time_;
  const std::shared_ptr<Clock> base_;
};

}  // namespace takt
