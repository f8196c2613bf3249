// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "takt/core/time.hpp"

namespace takt::sim {

/// Below this factor, and above every finite one, a simulation runs flat out (gz-sim SimulationRunner.cc).
inline constexpr double kFlatOutBelow = 1e-9;
bool is_flat_out(double rtf) noexcept;

/// When the iterations of a simulation are due on the monotonic clock: one step of simulated time takes
/// step / factor. Pure arithmetic, one thread. Real-time: wait-free.
class Pacer {
 public:
  /// `step` above zero. `rtf`: simulated seconds per wall second.
  Pacer(Duration step, double rtf) noexcept;

  /// The first iteration is due now.
  void start(SteadyTime now) noexcept;
  /// When the next iteration is due.
  SteadyTime target() const noexcept { return target_; }
  /// That iteration is over. The next is due one wall step after its target; when that is more than a wall
  /// step ago, it is due now and what is behind is dropped: there is no burst. `standing`: simulated time
  /// stands, and flat out is not meant.
  void advance(SteadyTime now, bool standing = false) noexcept;
  /// The next iteration is due one new wall step after the last target, or now if that is past.
  void set_rtf(double rtf, SteadyTime now) noexcept;

  double rtf() const noexcept { return flat_out() ? 0.0 : rtf_; }
  bool flat_out() const noexcept { return wall_step_ == Duration::zero(); }
  /// From one iteration to the next; zero: flat out.
  Duration wall_step(bool standing = false) const noexcept;

  /// How often the schedule began anew because it was behind, and the wall time that was not made up then.
  std::uint64_t late() const noexcept { return late_; }
  Duration dropped() const noexcept { return dropped_; }

 private:
  const Duration step_;
  double rtf_ = 1;
  Duration wall_step_{};
  SteadyTime last_{};  // target of the last iteration
  SteadyTime target_{};
  bool begun_ = false;  // an iteration is over
  std::uint64_t late_ = 0;
  Duration dropped_{};
};

}  // namespace takt::sim
