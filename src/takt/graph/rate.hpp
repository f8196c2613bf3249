// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "takt/core/time.hpp"
#include "takt/graph/ros_clock.hpp"

namespace takt {

/// A loop of a fixed rate in a thread of the user's own: sleep() at its end. Rules: ros2/rclcpp rate.cpp. One
/// thread.
class Rate {
 public:
  /// On the monotonic clock, or on a node's clock (get_clock()). Errors: SetupError for a rate or period that
  /// is not above zero.
  explicit Rate(double hz, RosClock::SharedPtr clock = nullptr);
  explicit Rate(Duration period, RosClock::SharedPtr clock = nullptr);

  /// Sleeps until the next slot. False without sleeping when that has passed; the slots then go on from
  /// there, or from now where a whole period was lost, or where the clock went back (it then sleeps a period
  /// from now). False as well when the context was shut down, or the clock's source changed, meanwhile.
  bool sleep();
  /// The next slot is one period from now.
  void reset();
  Duration period() const noexcept { return period_; }

 private:
  ClockTime now() const noexcept;
  bool sleep_until(ClockTime until);

  const Duration period_;
  const RosClock::SharedPtr clock_;  // null: the monotonic one
  ClockTime last_;
};

/// As rclcpp's: always on the monotonic clock.
class WallRate : public Rate {
 public:
  explicit WallRate(double hz) : Rate(hz) {}
  explicit WallRate(Duration period) : Rate(period) {}
};

}  // namespace takt
