// SPDX-License-Identifier: Apache-2.0
// Design 1: a whole node on the real-time executor.
#include <std_msgs/msg/int32.hpp>

#include "lab/priority/designs.hpp"

namespace takt::lab::priority {
namespace {

using namespace std::chrono_literals;
using std_msgs::msg::Int32;

/// Publishes a number at 100 Hz.
class Producer : public Node {
 public:
  explicit Producer(const DesignSetup& setup)
      : Node("producer", {.context = setup.context}), work_(setup.work) {
    publisher_ = create_publisher<Int32>("int_topic", 100);
    timer_ = create_timer(10ms, [this] { produce(); }, {.name = "producer/timer"});
  }

 private:
  void produce() {
    work_.burn(200us);
    ++message_.data;
    publisher_->publish(message_);
  }

  Work work_;
  Int32 message_;
  Publisher<Int32>::SharedPtr publisher_;
  Timer::SharedPtr timer_;
};

/// The consumer, which is critical, and the logger, which is not, do the same work: any difference in their
/// timing is that of their scheduling.
class Reader : public Node {
 public:
  Reader(const std::string& name, const DesignSetup& setup)
      : Node(name, {.context = setup.context}), work_(setup.work) {
    subscription_ =
        create_subscription<Int32>("int_topic", 100, [this](const Int32& message) { on_message(message); },
                                   {.deadline = 10ms, .name = name + "/subscription"});
    timer_ = create_timer(10ms, [this] { work_.burn(2ms); }, {.name = name + "/timer"});
  }

 private:
  void on_message(const Int32&) { work_.burn(500us); }

  Work work_;
  Subscription<Int32>::SharedPtr subscription_;
  Timer::SharedPtr timer_;
};

}  // namespace

Nodes make_design_1(const DesignSetup& setup, TwoExecutors& executors) {
  auto producer = std::make_shared<Producer>(setup);
  auto consumer = std::make_shared<Reader>("consumer", setup);
  auto logger = std::make_shared<Reader>("logger", setup);

  executors.rest().add_node(producer);
  executors.rest().add_node(logger);
  executors.critical().add_node(consumer);
  return {producer, consumer, logger};
}

}  // namespace takt::lab::priority
