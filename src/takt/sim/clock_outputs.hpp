// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rosgraph_msgs/msg/clock.hpp>
#include <std_msgs/msg/float32.hpp>
#include <string>
#include <takt_msgs/msg/clock_statistics.hpp>

#include "takt/graph/node.hpp"
#include "takt/sim/clock_command.hpp"

namespace takt::sim {

/// What a clock publishes by itself. The publishing functions: one thread; real-time: lock-free, a futex wake
/// for each executor that sleeps; who reads nothing blocks nothing. They allocate where a subscription of the
/// same process wants messages of its own, and where subscriptions of it hold all that can be lent.
class ClockOutputs {
 public:
  /// Errors: SetupError.
  ClockOutputs(Node& node, const std::string& topic, const std::string& rtf_topic);

  void publish_time(ClockTime time);
  /// The factor of one iteration, as a number (Isaac Sim's form).
  void publish_factor(double factor);
  void publish_statistics(const ClockStatus& status);

 private:
  Publisher<rosgraph_msgs::msg::Clock>::SharedPtr time_;
  Publisher<std_msgs::msg::Float32>::SharedPtr factor_;
  Publisher<takt_msgs::msg::ClockStatistics>::SharedPtr statistics_;
};

}  // namespace takt::sim
