// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "takt/core/time.hpp"

namespace takt::sim {

/// Simulated time gained / wall time gained, in all the ways in which it is told. NaN: not known yet.
struct Factors {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double iteration = kUnknown;  ///< of the last iteration; 0 while time stands
  double window = kUnknown;     ///< of the last whole window
  double window_min = kUnknown;
  double window_max = kUnknown;
  double since_start = kUnknown;
  double gazebo = kUnknown;  ///< what Gazebo's panel shows (there in percent)
  std::uint64_t windows = 0;
};

/// Computes them of the samples of a clock. Time that was paused is left out of the wall time of all of them,
/// as in Gazebo, whose real time stops meanwhile: a pause makes no simulation slower. Pure arithmetic, one
/// thread. Real-time: wait-free.
class RealTimeFactor {
 public:
  /// How often Gazebo's panel is told.
  static constexpr Duration kPanelPeriod = std::chrono::milliseconds{100};

  explicit RealTimeFactor(Duration window = std::chrono::milliseconds{100}) noexcept : window_(window) {}

  /// Simulated time `sim` was published at `wall`. `standing`: it was paused since the last sample.
  void add(ClockTime sim, SteadyTime wall, bool standing) noexcept;
  /// Forgets all: time was reset, and the next sample is the first.
  void reset() noexcept { *this = RealTimeFactor(window_); }

  const Factors& factors() const noexcept { return factors_; }
  Duration window() const noexcept { return window_; }
  /// Wall time since the first sample without what was paused, and simulated time since then.
  Duration wall_gained() const noexcept { return last_.wall - first_.wall; }
  Duration sim_gained() const noexcept { return last_.sim - first_.sim; }

 private:
  struct Sample {
    Duration sim{}, wall{};  // wall: without what was paused
  };
  void close_window(const Sample& sample) noexcept;
  void tell_panel(const Sample& sample) noexcept;

  Duration window_;
  Factors factors_;
  bool begun_ = false;
  Duration standing_{};  // paused so far
  Sample first_, last_, window_begin_, panel_;
  double delayed_sim_ = 0, delayed_wall_ = 0;  // ns since first_
};

}  // namespace takt::sim
