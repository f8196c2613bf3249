// SPDX-License-Identifier: Apache-2.0
// A test of one's own node that takes no time and always gives the same result: an hour of a control loop on
// a virtual clock. A context whose clock is virtual, one thread, and the node waits through its context's
// clock.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <takt/core/virtual_clock.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;

/// Every 1000th step takes 25 ms instead of none.
class Controller : public takt::Node {
 public:
  explicit Controller(const takt::Context::SharedPtr& context) : Node("controller", {.context = context}) {
    timer_ = create_timer(10ms, [this] { step(); }, {.deadline = 10ms, .name = "step"});
  }
  const takt::timing::Section& section() const { return timer_->section(); }

 private:
  void step() {
    if (++steps_ % 1000 == 0) context()->clock()->sleep_for(25ms);
  }

  takt::Timer::SharedPtr timer_;
  int steps_ = 0;
};

namespace {

void expect(const char* what, std::uint64_t actual, std::uint64_t expected) {
  std::printf("%-12s %6d, expected %6d\n", what, static_cast<int>(actual), static_cast<int>(expected));
  if (actual != expected) std::exit(1);  // NOLINT(concurrency-mt-unsafe): the only thread
}

}  // namespace

int main() {
  const auto clock = std::make_shared<takt::VirtualClock>(takt::VirtualClock::Advance::automatic);
  const auto context = takt::Context::make({.verdict = takt::timing::VerdictFormat::off, .clock = clock});
  const auto controller = std::make_shared<Controller>(context);
  const auto end =
      controller->create_timer(1h, [&] { context->shutdown(); }, {.deadline = takt::Deadline::none()});
  takt::Executor executor({.context = context});
  executor.add_node(controller);
  executor.spin();

  // 360,000 slots. A long step costs one: it is followed by a late one, and the slot after that is dropped.
  expect("activations", controller->section().activations(), 359641);
  expect("skips", controller->section().skips(), 359);
  expect("misses", controller->section().misses(), 2UL * 359);
}
