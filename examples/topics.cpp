// SPDX-License-Identifier: Apache-2.0
// The ways of sending and taking a message within a process, and what each of them costs in copies.
#include <cstdio>
#include <memory>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <std_msgs/msg/string.hpp>
#include <takt/core/virtual_clock.hpp>
#include <takt/takt.hpp>
#include <utility>

using std_msgs::msg::Float64MultiArray;
using std_msgs::msg::String;
using namespace std::chrono_literals;

int main() {
  // On a virtual clock, so the output is always the same.
  const auto clock = std::make_shared<takt::VirtualClock>(takt::VirtualClock::Advance::automatic);
  const auto context = takt::Context::make({.verdict = takt::timing::VerdictFormat::off, .clock = clock});
  const auto node = std::make_shared<takt::Node>("topics", takt::NodeOptions{.context = context});
  takt::Executor executor({.context = context});
  executor.add_node(node);
  const auto deliver = [&] { executor.spin_all(0ns); };

  // One taker of unique_ptr: the message itself changes hands.
  {
    const auto publisher = node->create_publisher<String>("owned", 10);
    const void* received = nullptr;
    const auto owner = node->create_subscription<String>(
        "owned", 10, [&](std::unique_ptr<String> m) { received = m.get(); });
    auto message = std::make_unique<String>();
    const void* sent = message.get();
    publisher->publish(std::move(message));
    deliver();
    std::printf("unique_ptr: same message: %s, copies: %d\n", sent == received ? "yes" : "no",
                static_cast<int>(publisher->counters().copies));
  }

  // Several readers share one message; a taker of unique_ptr beside them costs a copy.
  {
    const auto publisher = node->create_publisher<String>("shared", 10);
    int readers = 0;
    const auto a = node->create_subscription<String>("shared", 10, [&](const String&) { ++readers; });
    const auto b = node->create_subscription<String>(
        "shared", 10, [&](const std::shared_ptr<const String>&) { ++readers; });
    publisher->publish(std::make_unique<String>());
    const auto without_owner = publisher->counters().copies;
    const auto c = node->create_subscription<String>("shared", 10, [](std::unique_ptr<String>) {});
    publisher->publish(std::make_unique<String>());
    deliver();
    std::printf("shared: readers: %d, copies: %d, with an owner: %d\n", readers,
                static_cast<int>(without_owner), static_cast<int>(publisher->counters().copies));
  }

  // A loan: nothing is allocated, and its vector keeps its capacity from one use to the next. Keep last 2
  // pushes out the oldest.
  {
    const auto publisher = node->create_publisher<Float64MultiArray>("loaned", 2, {.loans = 4});
    double sum = 0;
    const auto reader = node->create_subscription<Float64MultiArray>(
        "loaned", 2, [&](const Float64MultiArray& m) { sum += m.data.front(); });
    for (int i = 1; i <= 3; ++i) {
      auto loan = publisher->borrow();
      if (!loan) continue;  // every message is out: counted
      loan->data.assign(100, i);
      publisher->publish(std::move(loan));
    }
    deliver();
    std::printf("loan: sum: %g, taken: %d, overwritten: %d\n", sum,
                static_cast<int>(reader->counters().taken), static_cast<int>(reader->counters().overwritten));
  }

  // Transient local: who comes late gets the last messages. MessageInfo says when they were sent.
  {
    const auto qos = takt::QoS(2).transient_local();
    const auto publisher = node->create_publisher<String>("map", qos);
    for (const char* text : {"first", "second", "third"}) {
      String message;
      message.data = text;
      publisher->publish(message);
      clock->advance(10ms);
    }
    const auto late =
        node->create_subscription<String>("map", qos, [](const String& m, const takt::MessageInfo& info) {
          std::printf("late: %s, number %d, %g ms old\n", m.data.c_str(), static_cast<int>(info.sequence),
                      takt::to_ms(info.received - info.published));
        });
    deliver();
  }
}
