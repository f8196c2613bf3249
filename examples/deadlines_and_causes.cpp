// SPDX-License-Identifier: Apache-2.0
// Three callbacks that miss their deadline, each for a reason of its own, and what takt says about it.
#include <chrono>
#include <cstdio>
#include <memory>
#include <takt/takt.hpp>
#include <thread>

using namespace std::chrono_literals;

class Late : public takt::Node {
 public:
  Late() : Node("late") {
    // All in the node's default group: one at a time, so that they also block each other.
    sleeper_ =
        create_timer(100ms, [] { std::this_thread::sleep_for(22ms); }, {.deadline = 10ms, .name = "sleeper"});
    busy_ = create_timer(130ms, [] { burn(15ms); }, {.deadline = 10ms, .name = "busy"});
    victim_ = create_timer(10ms, [] {}, {.deadline = 5ms, .name = "victim"});
    end_ = create_timer(1s, [] { takt::shutdown(); }, {.deadline = takt::Deadline::none(), .name = "end"});
  }

 private:
  static void burn(std::chrono::nanoseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
  }

  takt::Timer::SharedPtr sleeper_, busy_, victim_, end_;
};

int main(int argc, char** argv) {
  takt::init(argc, argv);
  takt::Executor executor;
  executor.add_node(std::make_shared<Late>());
  executor.spin();

  for (const auto& verdict : takt::default_context()->verdicts()) {
    std::printf("%s: %d misses, %d skipped slots\n", verdict.name.c_str(), static_cast<int>(verdict.misses),
                static_cast<int>(verdict.skips));
    if (verdict.last_misses.empty()) continue;
    const auto& miss = verdict.last_misses.back();
    std::printf("  the last one took %.1f ms: %s; %s\n", takt::to_ms(miss.response),
                takt::timing::words(miss.cause), miss.detail.c_str());
  }
}
