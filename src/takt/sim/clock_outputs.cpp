// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/clock_outputs.hpp"

#include "takt/sim/clock_messages.hpp"

namespace takt::sim {
namespace {

constexpr std::size_t kDepth = 10;

/// Filled in a lent message; in a copied one when readers of this process hold all of those.
template <class T, class Fill>
void publish_filled(Publisher<T>& publisher, const Fill& fill) {
  if (auto loan = publisher.borrow()) {
    fill(*loan);
    publisher.publish(std::move(loan));
  } else {
    T message;
    fill(message);
    publisher.publish(message);
  }
}

}  // namespace

// Reliable matches every subscription, and keep last never waits for one.
ClockOutputs::ClockOutputs(Node& node, const std::string& topic, const std::string& rtf_topic)
    : time_(node.create_publisher<rosgraph_msgs::msg::Clock>(topic, kDepth)),
      factor_(node.create_publisher<std_msgs::msg::Float32>(rtf_topic, kDepth)),
      statistics_(node.create_publisher<takt_msgs::msg::ClockStatistics>(topic + "/statistics", kDepth)) {}

void ClockOutputs::publish_time(ClockTime time) {
  publish_filled(*time_, [&](auto& message) { message.clock = to_message(time); });
}

void ClockOutputs::publish_factor(double factor) {
  publish_filled(*factor_, [&](auto& message) { message.data = static_cast<float>(factor); });
}

void ClockOutputs::publish_statistics(const ClockStatus& status) {
  publish_filled(*statistics_, [&](auto& message) { message = to_message(status); });
}

}  // namespace takt::sim
