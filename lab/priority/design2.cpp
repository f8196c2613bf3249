// SPDX-License-Identifier: Apache-2.0
// Design 2: one callback group of a node on the real-time executor.
#include <std_msgs/msg/int32.hpp>

#include "lab/priority/designs.hpp"

namespace takt::lab::priority {
namespace {

using namespace std::chrono_literals;
using std_msgs::msg::Int32;

/// Publishes a number at 100 Hz. Its timer is critical too: the consumer's rate is the producer's.
class PriorityProducer : public Node {
 public:
  explicit PriorityProducer(const DesignSetup& setup)
      : Node("producer", {.context = setup.context}), work_(setup.work) {
    real_time_group_ = create_callback_group(CallbackGroupType::MutuallyExclusive, false);
    publisher_ = create_publisher<Int32>("int_topic", 100);
    timer_ = create_timer(10ms, [this] { produce(); }, {.name = "producer/timer", .group = real_time_group_});
  }

  const CallbackGroup::SharedPtr& real_time_group() const { return real_time_group_; }

 private:
  void produce() {
    work_.burn(200us);
    ++message_.data;
    publisher_->publish(message_);
  }

  Work work_;
  Int32 message_;
  CallbackGroup::SharedPtr real_time_group_;
  Publisher<Int32>::SharedPtr publisher_;
  Timer::SharedPtr timer_;
};

/// Both callbacks do the same work; only the subscription is on the critical path.
class Consumer : public Node {
 public:
  explicit Consumer(const DesignSetup& setup)
      : Node("consumer", {.context = setup.context}), work_(setup.work) {
    real_time_group_ = create_callback_group(CallbackGroupType::MutuallyExclusive, false);
    subscription_ = create_subscription<Int32>(
        "int_topic", 100, [this](const Int32&) { work_.burn(2ms); },
        {.callback_group = real_time_group_, .deadline = 10ms, .name = "consumer/subscription"});
    timer_ = create_timer(10ms, [this] { work_.burn(2ms); }, {.name = "consumer/timer"});
  }

  const CallbackGroup::SharedPtr& real_time_group() const { return real_time_group_; }

 private:
  Work work_;
  CallbackGroup::SharedPtr real_time_group_;
  Subscription<Int32>::SharedPtr subscription_;
  Timer::SharedPtr timer_;
};

class SubscribingLogger : public Node {
 public:
  explicit SubscribingLogger(const DesignSetup& setup)
      : Node("logger", {.context = setup.context}), work_(setup.work) {
    subscription_ = create_subscription<Int32>("int_topic", 100, [this](const Int32&) { work_.burn(500us); },
                                               {.deadline = 10ms, .name = "logger/subscription"});
    timer_ = create_timer(10ms, [this] { work_.burn(2ms); }, {.name = "logger/timer"});
  }

 private:
  Work work_;
  Subscription<Int32>::SharedPtr subscription_;
  Timer::SharedPtr timer_;
};

}  // namespace

Nodes make_design_2(const DesignSetup& setup, TwoExecutors& executors) {
  auto producer = std::make_shared<PriorityProducer>(setup);
  auto consumer = std::make_shared<Consumer>(setup);
  auto logger = std::make_shared<SubscribingLogger>(setup);

  executors.rest().add_node(producer);
  executors.rest().add_node(consumer);
  executors.rest().add_node(logger);
  executors.critical().add_callback_group(producer->real_time_group());
  executors.critical().add_callback_group(consumer->real_time_group());
  return {producer, consumer, logger};
}

}  // namespace takt::lab::priority
