// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/world_clock.hpp"

#include <algorithm>

#include "takt/core/error.hpp"
#include "takt/sim/pacer.hpp"

namespace takt::sim {

const char* to_string(WorldState state) noexcept {
  switch (state) {
    case WorldState::running:
      return "running";
    case WorldState::paused:
      return "paused";
    case WorldState::stepping:
      return "stepping";
    case WorldState::running_to:
      return "running to a time";
  }
  return "?";
}

bool is_factor(double rtf) noexcept { return is_flat_out(rtf) ? rtf >= 0 : rtf <= kLargestFactor; }

void check(const WorldOptions& options) {
  if (options.step <= Duration::zero() || options.step > kLongestDuration) {
    throw SetupError("a step of " + takt::to_string(options.step) + " moves no simulated time",
                     "give a step above zero, and of at most 100 years");
  }
  if (options.start <= ClockTime{} || options.start > kLastTime) {
    throw SetupError("simulated time cannot start at " + takt::to_string(options.start.time_since_epoch()),
                     "start above 0 s, which means \"not started\", and not after 2147483647 s");
  }
  if (!is_factor(options.rtf)) {
    throw SetupError("a real time factor of " + std::to_string(options.rtf) + " cannot be kept",
                     "use one from 1e-9 to 1e6, or 0 for as fast as possible");
  }
}

WorldClock::WorldClock(const WorldOptions& options)
    : step_((check(options), options.step)),
      start_(options.start),
      now_(options.start),
      state_(options.paused ? WorldState::paused : WorldState::running) {}

bool WorldClock::advance() noexcept {
  if (fresh_) {
    fresh_ = false;
    return false;
  }
  if (paused()) return false;
  const auto before = now_;
  now_ += std::min(step_, until_ - now_);
  if (state_ == WorldState::stepping && --steps_left_ == 0) pause();
  if (now_ == until_) pause();
  return now_ != before;
}

Refusal WorldClock::pause() noexcept {
  state_ = WorldState::paused;
  until_ = kLastTime;
  return Refusal::none;
}

Refusal WorldClock::resume() noexcept {
  state_ = WorldState::running;
  until_ = kLastTime;
  return Refusal::none;
}

Refusal WorldClock::step(std::uint64_t n) noexcept {
  if (!paused()) return Refusal::not_paused;
  if (n == 0 || n > kMostSteps) return Refusal::bad_steps;
  state_ = WorldState::stepping;
  steps_left_ = n;
  return Refusal::none;
}

Refusal WorldClock::run_to(ClockTime time) noexcept {
  if (time < now_) return Refusal::in_the_past;
  if (time > kLastTime) return Refusal::bad_time;
  if (time == now_) return pause();
  state_ = WorldState::running_to;
  until_ = time;
  return Refusal::none;
}

Refusal WorldClock::reset() noexcept {
  if (state_ == WorldState::stepping) pause();
  now_ = start_;
  fresh_ = true;
  return Refusal::none;
}

}  // namespace takt::sim
