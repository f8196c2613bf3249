// SPDX-License-Identifier: Apache-2.0
// What a miss does: nothing but count (soft), keep late results back (firm), call a handler or stop (hard);
// and how many misses are tolerated.
#include <cstdio>
#include <memory>
#include <std_msgs/msg/float64.hpp>
#include <takt/takt.hpp>
#include <thread>

using namespace std::chrono_literals;
using std_msgs::msg::Float64;

class Plant : public takt::Node {
 public:
  Plant() : Node("plant") {
    // Up to 2 misses in any 10 activations are still met.
    tolerant_ = create_timer(
        20ms, [this] { late_every(10, tolerant_count_); },
        {.deadline = takt::Deadline(10ms).tolerate(2, 10), .name = "tolerant", .group = group()});
    // What is published after the deadline is suppressed, and counted.
    setpoint_ = create_publisher<Float64>("setpoint", 10);
    firm_ = create_timer(20ms,
                         [this] {
                           late_every(10, firm_count_);
                           if (setpoint_->publish(Float64{}).suppressed) ++suppressed;
                         },
                         {.deadline = takt::Deadline(10ms).firm(), .name = "firm", .group = group()});
    // The handler runs in the thread of the callback, right after it.
    hard_ = create_timer(
        20ms, [this] { late_every(10, hard_count_); },
        {.deadline = takt::Deadline(10ms).hard().on_miss([this](const takt::MissEvent&) { ++handled; }),
         .name = "hard",
         .group = group()});
    // Without a handler a hard miss ends spin() with DeadlineMissed.
    fatal_ = create_timer(800ms, [] { std::this_thread::sleep_for(12ms); },
                          {.deadline = takt::Deadline(10ms).hard(), .name = "fatal", .group = group()});
  }

  int suppressed = 0;
  int handled = 0;

 private:
  // A group for each, and a thread for each below, so that they do not wait for one another.
  takt::CallbackGroup::SharedPtr group() {
    groups_.push_back(create_callback_group(takt::CallbackGroupType::MutuallyExclusive));
    return groups_.back();
  }
  static void late_every(int n, int& count) {
    if (++count % n == 0) std::this_thread::sleep_for(12ms);
  }

  std::vector<takt::CallbackGroup::SharedPtr> groups_;
  takt::Publisher<Float64>::SharedPtr setpoint_;
  takt::Timer::SharedPtr tolerant_, firm_, hard_, fatal_;
  int tolerant_count_ = 0, firm_count_ = 0, hard_count_ = 0;
};

int main(int argc, char** argv) {
  takt::init(argc, argv);
  const auto plant = std::make_shared<Plant>();
  takt::Executor executor({.threads = 4});
  executor.add_node(plant);
  try {
    executor.spin();
  } catch (const takt::DeadlineMissed& missed) {
    std::printf("stopped: %s\n", missed.what());
  }
  std::printf("handler called: %s; late results suppressed: %s\n", plant->handled > 0 ? "yes" : "no",
              plant->suppressed > 0 ? "yes" : "no");
  takt::shutdown();
}
