// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/time_jump.hpp"

#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/log.hpp"

namespace takt {

JumpHandler::JumpHandler(PreCallback pre, PostCallback post, const JumpThreshold& threshold)
    : pre_(std::move(pre)), post_(std::move(post)), threshold_(threshold) {
  if (threshold.min_forward < Duration::zero()) {
    throw SetupError("a forward jump threshold of " + to_string(threshold.min_forward) + " is negative",
                     "give a duration above zero, or zero for none");
  }
  if (threshold.min_backward > Duration::zero()) {
    throw SetupError("a backward jump threshold of " + to_string(threshold.min_backward) + " is positive",
                     "give a duration below zero, or zero for none");
  }
}

bool JumpHandler::wants(const TimeJump& jump) const noexcept {
  if (jump.clock_change != ClockChange::ROS_TIME_NO_CHANGE) return threshold_.on_clock_change;
  const auto forward = threshold_.min_forward;
  const auto backward = threshold_.min_backward;
  return (forward != Duration::zero() && jump.delta >= forward) ||
         (backward != Duration::zero() && jump.delta <= backward);
}

void JumpHandler::call(const TimeJump* jump) noexcept {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  try {
    if (jump == nullptr) {
      if (pre_) pre_();
    } else if (post_) {
      post_(*jump);
    }
  } catch (const std::exception& error) {
    log::write(log::Level::error, "clock", "a jump callback threw: {}", error.what());
  } catch (...) {
    log::write(log::Level::error, "clock", "a jump callback threw");
  }
}

void JumpHandler::end() noexcept {
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

}  // namespace takt
