// SPDX-License-Identifier: Apache-2.0
// Starting, stopping and changing timers. On a virtual clock, so the output is always the same.
#include <cstdio>
#include <memory>
#include <takt/core/virtual_clock.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;

int main() {
  const auto clock = std::make_shared<takt::VirtualClock>(takt::VirtualClock::Advance::automatic);
  const auto context = takt::Context::make({.verdict = takt::timing::VerdictFormat::off, .clock = clock});
  const auto node = std::make_shared<takt::Node>("timers", takt::NodeOptions{.context = context});
  const auto begin = clock->now();
  const auto at = [&] { return takt::to_ms(clock->now() - begin); };

  // Born cancelled: never fires before reset().
  const auto reserve = node->create_timer(10ms, [&] { std::printf("%g ms: reserve\n", at()); },
                                          {.name = "reserve", .autostart = false});
  // Stops itself; cancel() and reset() may be called anywhere, also here.
  int left = 3;
  takt::Timer::SharedPtr countdown;
  countdown = node->create_timer(10ms, [&] {
    std::printf("%g ms: countdown %d\n", at(), left);
    if (--left > 0) return;
    countdown->cancel();
    reserve->reset();  // its next slot is one period from now
  });
  // A new period takes effect after the pending slot, which stays where it is.
  const auto slower =
      node->create_timer(25ms, [&] { std::printf("%g ms: slower\n", at()); }, {.name = "slower"});
  slower->set_period(40ms);
  // One shot: a timer that drops itself.
  takt::Timer::SharedPtr once;
  once = node->create_timer(5ms, [&] {
    std::printf("%g ms: once\n", at());
    once.reset();
  });
  const auto end =
      node->create_timer(70ms, [&] { context->shutdown(); }, {.deadline = takt::Deadline::none()});

  takt::Executor executor({.context = context});
  executor.add_node(node);
  executor.spin();
}
