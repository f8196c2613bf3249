// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/clock_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace takt::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string factor_text(double factor) {
  return std::isnan(factor) ? "not known yet" : fmt::format("{:.4g}", factor);
}

std::string wanted_text(double target) {
  return target == 0 ? "as fast as possible" : fmt::format("{:g} wanted", target);
}

double sim_seconds(const sim::ClockStatus& status) { return to_seconds(status.sim_time.time_since_epoch()); }

std::string factor_state_key(sim::WorldState state) {
  return state == sim::WorldState::running_to ? "running_to" : to_string(state);
}

}  // namespace

Json to_json(const sim::ClockStatus& status) {
  const auto& factors = status.factors;
  return {{"state", factor_state_key(status.state)},
          {"at_ns", status.at.time_since_epoch().count()},
          {"sim_ns", status.sim_time.time_since_epoch().count()},
          {"steps_left", status.steps_left},
          {"target_rtf", status.target_rtf},
          {"rtf",
           {{"iteration", number_or_null(factors.iteration)},
            {"window", number_or_null(factors.window)},
            {"window_s", to_seconds(status.window)},
            {"window_min", number_or_null(factors.window_min)},
            {"window_max", number_or_null(factors.window_max)},
            {"since_start", number_or_null(factors.since_start)},
            {"gazebo", number_or_null(factors.gazebo)}}},
          {"iterations", status.iterations},
          {"late_iterations", status.late_iterations},
          {"dropped_ms", to_ms(status.dropped)}};
}

std::string state_in_words(const sim::ClockStatus& status) {
  auto text = fmt::format("{} at {:.9g} s", to_string(status.state), sim_seconds(status));
  if (status.steps_left > 0)
    text += fmt::format(", {} step{} to go", status.steps_left, status.steps_left == 1 ? "" : "s");
  return text;
}

std::string factors_in_words(const sim::ClockStatus& status) {
  const auto& factors = status.factors;
  return fmt::format(
      "real time factor: {}; since the start {}, worst window of {} {} (best {}), last iteration {}, "
      "Gazebo's panel {}",
      wanted_text(status.target_rtf), factor_text(factors.since_start), takt::to_string(status.window),
      factor_text(factors.window_min), factor_text(factors.window_max), factor_text(factors.iteration),
      factor_text(factors.gazebo));
}

std::string summary(const sim::ClockStatus& status, const std::vector<timing::Verdict>& verdicts) {
  auto text = fmt::format("{}; {} iterations in {:.3f} s of wall time\n", state_in_words(status),
                          status.iterations, to_seconds(status.at - status.first));
  text += fmt::format("simulated {:.3f} s in {:.3f} s that were not paused\n", to_seconds(status.sim_gained),
                      to_seconds(status.wall_gained));
  text += factors_in_words(status) + "\n";
  text += fmt::format("behind by more than a wall step: {} times, {:.3f} ms not made up\n",
                      status.late_iterations, to_ms(status.dropped));
  return verdicts.empty() ? text : text + timing::to_text(verdicts);
}

}  // namespace takt::cli
