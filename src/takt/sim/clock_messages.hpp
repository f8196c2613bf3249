// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <builtin_interfaces/msg/time.hpp>
#include <optional>
#include <takt_msgs/msg/clock_reply.hpp>
#include <takt_msgs/msg/clock_request.hpp>
#include <takt_msgs/msg/clock_statistics.hpp>

#include "takt/sim/clock_command.hpp"

/// Between a clock's own words and its messages (interfaces/takt_msgs).
namespace takt::sim {

/// `time` not before 0 and not after kLastTime. Real-time: wait-free.
builtin_interfaces::msg::Time to_message(ClockTime time) noexcept;
/// Empty for nanoseconds of a second or more.
std::optional<ClockTime> from_message(const builtin_interfaces::msg::Time& time) noexcept;

/// Real-time: wait-free.
takt_msgs::msg::ClockStatistics to_message(const ClockStatus& status) noexcept;
/// What it says of the clock; the rest is empty.
ClockStatus from_message(const takt_msgs::msg::ClockReply& reply);

/// `id` is not looked at. What no command can be has a refusal.
struct ReadCommand {
  ClockCommand command;
  Refusal refusal = Refusal::none;
};
ReadCommand from_message(const takt_msgs::msg::ClockRequest& request) noexcept;
takt_msgs::msg::ClockRequest to_message(const ClockCommand& command, std::uint64_t id) noexcept;
takt_msgs::msg::ClockReply to_message(const ClockOutcome& outcome, const ClockCommand& command,
                                      std::uint64_t id);

}  // namespace takt::sim
