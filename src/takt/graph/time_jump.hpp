// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "takt/core/time.hpp"

namespace takt {

/// As rcl names them. Activation and deactivation of simulated time are jumps, too, with a delta of 0.
enum class ClockChange : std::uint8_t { ROS_TIME_NO_CHANGE, ROS_TIME_ACTIVATED, ROS_TIME_DEACTIVATED };

struct TimeJump {
  ClockChange clock_change = ClockChange::ROS_TIME_NO_CHANGE;
  Duration delta{};  ///< simulated time after less the one before; every sample of a clock is such a step
};

/// Which jumps a callback wants to hear of.
struct JumpThreshold {
  bool on_clock_change = true;
  Duration min_forward{};   ///< delta >= this; above 0, or 0: none
  Duration min_backward{};  ///< delta <= this; below 0, or 0: none
};

/// A pair of callbacks around jumps of a clock; RosClock::create_jump_callback makes it. Dropping the last
/// reference ends it: when that returns neither callback runs nor will run (but the one that drops it).
class JumpHandler {
 public:
  using SharedPtr = std::shared_ptr<JumpHandler>;
  using PreCallback = std::function<void()>;
  using PostCallback = std::function<void(const TimeJump&)>;

  /// Errors: SetupError for a threshold of the wrong sign.
  JumpHandler(PreCallback pre, PostCallback post, const JumpThreshold& threshold);

  bool wants(const TimeJump& jump) const noexcept;
  /// Calls pre (jump is null) or post; what it throws is logged. No call once end() has returned.
  void call(const TimeJump* jump) noexcept;
  void end() noexcept;

 private:
  const PreCallback pre_;
  const PostCallback post_;
  const JumpThreshold threshold_;
  std::recursive_mutex mutex_;  // held while a callback runs; guards ended_
  bool ended_ = false;
};

}  // namespace takt
