// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/real_time_factor.hpp"

#include <cmath>

namespace takt::sim {
namespace {

constexpr double kKept = 0.9;  // gz-gui WorldStats.cc

double ratio(Duration sim, Duration wall) noexcept {
  return static_cast<double>(sim.count()) / static_cast<double>(wall.count());
}

}  // namespace

void RealTimeFactor::add(ClockTime sim, SteadyTime wall, bool standing) noexcept {
  Sample sample{sim.time_since_epoch(), wall.time_since_epoch() - standing_};
  if (!begun_) {
    begun_ = true;
    first_ = last_ = window_begin_ = panel_ = sample;
    return;
  }
  if (standing) {
    standing_ += sample.wall - last_.wall;
    factors_.iteration = 0;
    return;
  }
  if (sample.wall <= last_.wall) return;  // two within a nanosecond
  factors_.iteration = ratio(sample.sim - last_.sim, sample.wall - last_.wall);
  last_ = sample;
  factors_.since_start = ratio(sim_gained(), wall_gained());
  if (sample.wall - window_begin_.wall >= window_) close_window(sample);
  if (sample.wall - panel_.wall >= kPanelPeriod) tell_panel(sample);
}

void RealTimeFactor::close_window(const Sample& sample) noexcept {
  factors_.window = ratio(sample.sim - window_begin_.sim, sample.wall - window_begin_.wall);
  factors_.window_min = std::fmin(factors_.window_min, factors_.window);  // fmin passes over NaN
  factors_.window_max = std::fmax(factors_.window_max, factors_.window);
  ++factors_.windows;
  window_begin_ = sample;
}

void RealTimeFactor::tell_panel(const Sample& sample) noexcept {
  const auto sim = static_cast<double>((sample.sim - first_.sim).count());
  const auto wall = static_cast<double>((sample.wall - first_.wall).count());
  delayed_sim_ = kKept * delayed_sim_ + (1 - kKept) * sim;
  delayed_wall_ = kKept * delayed_wall_ + (1 - kKept) * wall;
  factors_.gazebo = (sim - delayed_sim_) / (wall - delayed_wall_);
  panel_ = sample;
}

}  // namespace takt::sim
