// SPDX-License-Identifier: Apache-2.0
// A callback group with an executor of its own: the control loop runs on a real-time thread while a slow
// callback of the same node has the other thread to itself.
#include <cstdio>
#include <memory>
#include <takt/takt.hpp>
#include <thread>

using namespace std::chrono_literals;

class Robot : public takt::Node {
 public:
  Robot() : Node("robot") {
    // required = false: goes on with ordinary scheduling where the kernel does not permit SCHED_FIFO
    takt::CallbackGroupOptions options;
    options.name = "control";
    options.own_executor =
        takt::ExecutorOptions{.scheduling = takt::Fifo{80}, .required = false, .name = "control"};
    fast_ = create_callback_group(takt::CallbackGroupType::MutuallyExclusive, options);
    control_ = create_timer(10ms, [this] { ++steps; }, {.deadline = 10ms, .name = "control", .group = fast_});
    mapping_ = create_timer(200ms, [] { std::this_thread::sleep_for(80ms); }, {.name = "mapping"});
    end_ = create_timer(1s, [] { takt::shutdown(); }, {.deadline = takt::Deadline::none(), .name = "end"});
  }

  int steps = 0;  // of the control thread; read after spin()

 private:
  takt::CallbackGroup::SharedPtr fast_;
  takt::Timer::SharedPtr control_, mapping_, end_;
};

int main(int argc, char** argv) {
  takt::init(argc, argv);
  takt::Executor executor({.name = "main"});
  const auto robot = std::make_shared<Robot>();
  executor.add_node(robot);
  executor.spin();  // both executors start and end here

  std::printf("control ran %d times beside a callback that sleeps 80 ms\n", robot->steps);
  for (const auto& verdict : takt::default_context()->verdicts()) {
    std::printf("%s ran on thread '%s' with %s\n", verdict.name.c_str(), verdict.granted.name.c_str(),
                takt::to_string(verdict.granted.scheduling).c_str());
  }
}
