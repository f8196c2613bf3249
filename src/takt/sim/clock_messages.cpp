// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/clock_messages.hpp"

#include <algorithm>
#include <cmath>

namespace takt::sim {
namespace {

constexpr std::uint32_t kSecond = 1'000'000'000;

/// Any number of seconds, also one that is none.
Duration duration_of(double seconds) noexcept {
  const auto limit = to_seconds(kLongestDuration);
  if (!(std::abs(seconds) <= limit)) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

builtin_interfaces::msg::Time to_message(ClockTime time) noexcept {
  const auto ns = time.time_since_epoch().count();
  builtin_interfaces::msg::Time message;
  message.sec = static_cast<std::int32_t>(ns / kSecond);
  message.nanosec = static_cast<std::uint32_t>(ns % kSecond);
  return message;
}

std::optional<ClockTime> from_message(const builtin_interfaces::msg::Time& time) noexcept {
  if (time.nanosec >= kSecond) return std::nullopt;
  return ClockTime{std::chrono::seconds{time.sec} + Duration{time.nanosec}};
}

takt_msgs::msg::ClockStatistics to_message(const ClockStatus& status) noexcept {
  takt_msgs::msg::ClockStatistics message;
  message.sim_time = to_message(status.sim_time);
  message.monotonic_ns = status.at.time_since_epoch().count();
  message.paused = status.state == WorldState::paused;
  message.target_rtf = status.target_rtf;
  message.rtf_iteration = status.factors.iteration;
  message.rtf_window = status.factors.window;
  message.window_s = to_seconds(status.window);
  message.rtf_window_min = status.factors.window_min;
  message.rtf_window_max = status.factors.window_max;
  message.rtf_since_start = status.factors.since_start;
  message.rtf_gazebo = status.factors.gazebo;
  message.iterations = status.iterations;
  message.late_iterations = status.late_iterations;
  message.dropped_s = to_seconds(status.dropped);
  return message;
}

ClockStatus from_message(const takt_msgs::msg::ClockReply& reply) {
  const auto& message = reply.statistics;
  ClockStatus status;
  status.sim_time = from_message(message.sim_time).value_or(ClockTime{});
  status.at = SteadyTime{Duration{message.monotonic_ns}};
  status.state = static_cast<WorldState>(std::min<std::uint8_t>(reply.state, 3));
  status.steps_left = reply.steps_left;
  status.target_rtf = message.target_rtf;
  status.factors.iteration = message.rtf_iteration;
  status.factors.window = message.rtf_window;
  status.factors.window_min = message.rtf_window_min;
  status.factors.window_max = message.rtf_window_max;
  status.factors.since_start = message.rtf_since_start;
  status.factors.gazebo = message.rtf_gazebo;
  status.window = duration_of(message.window_s);
  status.iterations = message.iterations;
  status.late_iterations = message.late_iterations;
  status.dropped = duration_of(message.dropped_s);
  return status;
}

ReadCommand from_message(const takt_msgs::msg::ClockRequest& request) noexcept {
  using Kind = ClockCommand::Kind;
  const auto time = from_message(request.time);
  ReadCommand read{
      {static_cast<Kind>(request.command), request.steps, time.value_or(ClockTime{}), request.rtf}};
  if (request.command > static_cast<std::uint8_t>(Kind::set_rtf)) read.refusal = Refusal::unknown_command;
  if (read.command.kind == Kind::run_to && !time) read.refusal = Refusal::bad_time;
  return read;
}

takt_msgs::msg::ClockRequest to_message(const ClockCommand& command, std::uint64_t id) noexcept {
  takt_msgs::msg::ClockRequest message;
  message.id = id;
  message.command = static_cast<std::uint8_t>(command.kind);
  message.steps = command.steps;
  message.time = to_message(command.time);
  message.rtf = command.rtf;
  return message;
}

takt_msgs::msg::ClockReply to_message(const ClockOutcome& outcome, const ClockCommand& command,
                                      std::uint64_t id) {
  takt_msgs::msg::ClockReply message;
  message.id = id;
  message.accepted = outcome.refusal == Refusal::none;
  message.text = words_of(outcome.refusal, command, outcome.status);
  message.state = static_cast<std::uint8_t>(outcome.status.state);
  message.steps_left = outcome.status.steps_left;
  message.statistics = to_message(outcome.status);
  return message;
}

}  // namespace takt::sim
