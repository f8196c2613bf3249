// SPDX-License-Identifier: Apache-2.0
// The smallest complete program: a controller that publishes a command every 10 ms.
//   hello [seconds]     ends after that time (default 2), or at Ctrl-C, with the verdict of every callback
// Exit: 0 it ran, 2 usage, 3 it could not run (stderr says why).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <std_msgs/msg/float64.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;

class Controller : public takt::Node {
 public:
  explicit Controller(std::chrono::duration<double> run_time) : Node("controller") {
    command_ = create_publisher<std_msgs::msg::Float64>("command", 10);
    timer_ = create_timer(10ms, [this] { step(); }, {.deadline = 10ms, .name = "step"});
    end_ =
        create_timer(run_time, [] { takt::shutdown(); }, {.deadline = takt::Deadline::none(), .name = "end"});
  }

 private:
  void step() {
    auto command = command_->borrow();  // allocates nothing
    command->data = std::sin(0.01 * ++steps_);
    command_->publish(std::move(command));
  }

  takt::Publisher<std_msgs::msg::Float64>::SharedPtr command_;
  takt::Timer::SharedPtr timer_;
  takt::Timer::SharedPtr end_;
  int steps_ = 0;
};

int main(int argc, char** argv) try {
  takt::init(argc, argv);
  char* rest = nullptr;
  const double seconds = argc > 1 ? std::strtod(argv[1], &rest) : 2.0;
  if ((rest != nullptr && *rest != '\0') || !(seconds > 0 && seconds <= 86400)) {
    std::fprintf(stderr, "takt: '%s' is no number of seconds; usage: hello [seconds]\n", argv[1]);
    return 2;
  }
  // required = false: without the privilege it runs with ordinary scheduling, and the verdict says so
  takt::Executor executor({.scheduling = takt::Fifo{80}, .required = false});
  executor.add_node(std::make_shared<Controller>(std::chrono::duration<double>(seconds)));
  executor.spin();
} catch (const std::exception& error) {  // a takt::SetupError says what to change
  std::fprintf(stderr, "takt: %s\n", error.what());
  return 3;
}
