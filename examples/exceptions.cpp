// SPDX-License-Identifier: Apache-2.0
// An exception of a callback leaves spin() unchanged, on the thread that called it; the executor can go on.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <takt/takt.hpp>

using namespace std::chrono_literals;

class Fragile : public takt::Node {
 public:
  Fragile() : Node("fragile") {
    timer_ = create_timer(10ms, [this] { step(); }, {.name = "step"});
    end_ = create_timer(500ms, [] { takt::shutdown(); }, {.deadline = takt::Deadline::none(), .name = "end"});
  }
  int steps = 0;

 private:
  void step() {
    if (++steps == 3) throw std::out_of_range("sensor value 7 is not in the table");
  }
  takt::Timer::SharedPtr timer_, end_;
};

int main(int argc, char** argv) {
  takt::init(argc, argv);
  const auto node = std::make_shared<Fragile>();
  takt::Executor executor;
  executor.add_node(node);
  try {
    executor.spin();
  } catch (const std::out_of_range& error) {
    std::printf("callback '%s' threw: %s\n", executor.failed_callback().c_str(), error.what());
  }
  executor.spin();  // until the end
  std::printf("went on: %s\n", node->steps > 3 ? "yes" : "no");

  // Set-up errors say what is wrong and how to mend it.
  try {
    node->create_timer(-1ms, [] {});
  } catch (const takt::SetupError& error) {
    std::printf("refused: %s\n", error.what());
  }
}
