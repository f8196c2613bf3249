// SPDX-License-Identifier: Apache-2.0
// What a timer of 10 ms does after its second activation took 35 ms. On a virtual clock, so the output is
// always the same.
#include <cstdio>
#include <memory>
#include <takt/core/virtual_clock.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;

namespace {

void show(takt::OverrunPolicy policy) {
  const auto clock = std::make_shared<takt::VirtualClock>(takt::VirtualClock::Advance::automatic);
  const auto context = takt::Context::make({.verdict = takt::timing::VerdictFormat::off, .clock = clock});
  const auto begin = clock->now();
  const auto node = std::make_shared<takt::Node>("loop", takt::NodeOptions{.context = context});
  int n = 0;
  takt::TimerOptions options;
  options.overrun = policy;
  std::printf("%-10s starts at, ms:", takt::to_string(policy));
  const auto timer = node->create_timer(
      10ms,
      [&](const takt::TimerInfo& info) {
        std::printf(" %g", takt::to_ms(info.actual - begin));
        if (++n == 2) clock->sleep_for(35ms);
        if (n == 7) context->shutdown();
      },
      options);
  takt::Executor executor({.context = context});
  executor.add_node(node);
  executor.spin();
  std::printf("  skipped: %d\n", static_cast<int>(timer->section().skips()));
}

}  // namespace

int main() {
  show(takt::OverrunPolicy::skip);       // drops the slots that have passed, keeps the phase
  show(takt::OverrunPolicy::catch_up);   // runs every slot, back to back
  show(takt::OverrunPolicy::re_anchor);  // drops them, and starts the grid anew
}
