// SPDX-License-Identifier: Apache-2.0
// The deadline of a topic's QoS, and the event when it passes. It detects a gap between messages: a sensor
// that went silent. It does not detect a callback that runs late: that is what deadlines of callbacks are
// for, as the example deadlines_and_causes shows.
#include <cstdio>
#include <memory>
#include <std_msgs/msg/float64.hpp>
#include <takt/core/virtual_clock.hpp>
#include <takt/takt.hpp>

using std_msgs::msg::Float64;
using namespace std::chrono_literals;

int main() {
  // On a virtual clock, so the output is always the same.
  const auto clock = std::make_shared<takt::VirtualClock>(takt::VirtualClock::Advance::automatic);
  const auto context = takt::Context::make({.verdict = takt::timing::VerdictFormat::off, .clock = clock});
  const auto node = std::make_shared<takt::Node>("robot", takt::NodeOptions{.context = context});
  const auto begin = clock->now();
  const auto at = [&] { return takt::to_ms(clock->now() - begin); };

  // Both ends say it: the publisher offers a message every 15 ms at least, the subscription asks for that.
  const auto qos = takt::QoS(10).deadline(15ms);

  takt::PublisherOptions of_publisher;
  of_publisher.event_callbacks.deadline_callback = [&](takt::QOSDeadlineOfferedInfo& info) {
    std::printf("%g ms: not published in time, number %d\n", at(), info.total_count);
  };
  const auto range = node->create_publisher<Float64>("range", qos, of_publisher);

  takt::SubscriptionOptions of_subscription;
  of_subscription.deadline = 5ms;  // of its callback: another thing
  of_subscription.event_callbacks.deadline_callback = [&](takt::QOSDeadlineRequestedInfo& info) {
    std::printf("%g ms: no message in time, number %d (%d more)\n", at(), info.total_count,
                info.total_count_change);
  };
  const auto braking = node->create_subscription<Float64>(
      "range", qos,
      [&](const Float64& message) {
        if (message.data == 3) clock->sleep_for(12ms);  // late, but the messages are not
      },
      of_subscription);

  // Every 10 ms, but for the slots from 60 to 100 ms: there the sensor is silent.
  double count = 0;
  const auto sensor = node->create_timer(10ms, [&] {
    if (at() >= 60 && at() <= 100) return;
    Float64 message;
    message.data = ++count;
    range->publish(message);
  });
  const auto end =
      node->create_timer(150ms, [&] { context->shutdown(); }, {.deadline = takt::Deadline::none()});

  takt::Executor executor({.context = context});
  executor.add_node(node);
  executor.spin();
  std::printf("late callbacks: %d, of which no event told\n",
              static_cast<int>(context->monitor().verdict(braking->section()).misses));
}
