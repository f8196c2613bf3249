// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/pacer.hpp"

#include <algorithm>
#include <cmath>

namespace takt::sim {
namespace {

/// While time stands a clock that runs flat out repeats its sample so often. However long its step is: one
/// that is then asked for shall come at once.
constexpr Duration kStandingStep = std::chrono::milliseconds{1};

Duration wall_step_of(Duration step, double rtf) noexcept {
  if (is_flat_out(rtf)) return Duration::zero();
  const auto ns = std::round(static_cast<double>(step.count()) / rtf);
  const auto longest = static_cast<double>(kLongestDuration.count());
  return Duration{static_cast<Duration::rep>(std::clamp(ns, 1.0, longest))};
}

}  // namespace

bool is_flat_out(double rtf) noexcept { return rtf < kFlatOutBelow || std::isinf(rtf); }

Pacer::Pacer(Duration step, double rtf) noexcept
    : step_(step), rtf_(rtf), wall_step_(wall_step_of(step, rtf)) {}

void Pacer::start(SteadyTime now) noexcept {
  target_ = now;
  begun_ = false;
}

Duration Pacer::wall_step(bool standing) const noexcept {
  return flat_out() && standing ? kStandingStep : wall_step_;
}

void Pacer::advance(SteadyTime now, bool standing) noexcept {
  const auto wall_step = this->wall_step(standing);
  last_ = target_;
  begun_ = true;
  target_ += wall_step;
  if (wall_step == Duration::zero()) {  // there is no schedule to be behind of
    target_ = now;
  } else if (now - target_ > wall_step) {
    ++late_;
    dropped_ += now - target_;
    target_ = now;
  }
}

void Pacer::set_rtf(double rtf, SteadyTime now) noexcept {
  rtf_ = rtf;
  wall_step_ = wall_step_of(step_, rtf);
  if (begun_) target_ = std::max(last_ + wall_step_, now);
}

}  // namespace takt::sim
