// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/rate.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/core/timer_grid.hpp"

namespace takt {

namespace {

Duration period_of(double hz) {
  if (!std::isfinite(hz) || hz <= 0) {
    throw SetupError("a rate of " + std::to_string(hz) + " Hz is not above zero", "give a rate above zero");
  }
  return checked_duration(std::chrono::duration<double>(1 / hz), "the period of a rate");
}

}  // namespace

Rate::Rate(double hz, RosClock::SharedPtr clock) : Rate(period_of(hz), std::move(clock)) {}

Rate::Rate(Duration period, RosClock::SharedPtr clock)
    : period_(checked_period(period, false)), clock_(std::move(clock)), last_(now()) {}

ClockTime Rate::now() const noexcept {
  return clock_ ? clock_->now() : ClockTime{SteadyClock::instance()->steady_now().time_since_epoch()};
}

bool Rate::sleep_until(ClockTime until) {
  if (clock_) return clock_->sleep_until(until);
  SteadyClock::instance()->sleep_until(SteadyTime{until.time_since_epoch()});
  return true;
}

bool Rate::sleep() {
  const auto now = this->now();
  const auto next = (now < last_ ? now : last_) + period_;  // or the clock went back
  last_ = next;
  if (next <= now) {
    if (now > next + period_) last_ = now;
    return false;
  }
  return sleep_until(next);
}

void Rate::reset() { last_ = now(); }

}  // namespace takt
