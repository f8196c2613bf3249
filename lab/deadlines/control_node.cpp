// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/control_node.hpp"

#include <utility>

namespace takt::lab::deadlines {

ControlNode::ControlNode(const Phase& phase, NodeOptions options)
    : Node("deadlines", std::move(options)), phase_(phase) {}

void ControlNode::begin(Duration length) {
  rows_.reserve(static_cast<std::size_t>(length / kPeriod) + 16);  // the loop itself must not allocate
  timer_ = create_timer(kPeriod, [this] { step(); }, {.deadline = kPeriod, .name = kTimer});
  end_ = create_timer(length, [this] { this->context()->shutdown(kOver); },
                      {.deadline = Deadline::none(), .name = "end", .clock = context()->clock()});
}

void ControlNode::step() {
  MonotonicClock& clock = *context()->clock();
  const Clock& timer_clock = phase_.simulated() ? static_cast<const Clock&>(*get_clock()) : clock;
  Row row{.wall_start = clock.steady_now(), .timer_start = timer_clock.now()};
  row.injected = is_injected(phase_, rows_.size() + 1);
  if (row.injected) clock.sleep_for(kInjectedSleep);
  row.wall_end = clock.steady_now();
  row.timer_end = timer_clock.now();
  rows_.push_back(row);
}

}  // namespace takt::lab::deadlines
