// SPDX-License-Identifier: Apache-2.0
// A control loop on simulated time. Both ends are in this program here; a simulator, or `takt clock` in
// another terminal, takes the place of the second node. The loop runs every 10 ms of simulated time, at a
// real time factor of 0.5: every 20 ms of wall time. Its verdict is on the clock of the simulation, and names
// it.
#include <atomic>
#include <cstdio>
#include <rosgraph_msgs/msg/clock.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;

class Loop : public takt::Node {
 public:
  Loop() : Node("loop", takt::NodeOptions{.use_sim_time = true}) {
    timer_ = create_timer(10ms, [this](const takt::TimerInfo& info) { step(info); }, {.name = "control"});
    // A simulation may be reset: what a controller has integrated is then void.
    reset_ = get_clock()->create_jump_callback({},
                                               [](const takt::TimeJump& jump) {
                                                 std::printf("time jumped by %.3f s\n",
                                                             takt::to_seconds(jump.delta));
                                               },
                                               {.on_clock_change = false, .min_backward = -1ns});
  }

 private:
  void step(const takt::TimerInfo& info) {
    if (++steps_ % 10 == 0) {
      std::printf("step %d at %.3f s of simulated time\n", steps_,
                  takt::to_seconds(info.actual.time_since_epoch()));
    }
    if (steps_ == 30) takt::shutdown();
  }

  int steps_ = 0;
  takt::Timer::SharedPtr timer_;
  takt::JumpHandler::SharedPtr reset_;
};

/// Sends /clock: a millisecond of simulated time every two of wall time, and once from the start again.
class Simulator : public takt::Node {
 public:
  Simulator() : Node("simulator") {
    clock_ = create_publisher<rosgraph_msgs::msg::Clock>("/clock", 10);
    timer_ = create_wall_timer(2ms, [this] {
      if (++steps_ == 150) stamp_ = 1s;
      stamp_ += 1ms;
      rosgraph_msgs::msg::Clock message;
      message.clock.sec = static_cast<int>(stamp_ / 1s);
      message.clock.nanosec = static_cast<unsigned>(stamp_ % 1s / 1ns);
      clock_->publish(message);
    });
  }

 private:
  int steps_ = 0;
  takt::Duration stamp_ = 1s;
  takt::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_;
  takt::Timer::SharedPtr timer_;
};

int main(int argc, char** argv) {
  takt::init(argc, argv);
  takt::Executor executor;
  executor.add_node(std::make_shared<Loop>());
  executor.add_node(std::make_shared<Simulator>());
  executor.spin();
}
