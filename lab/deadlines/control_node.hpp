// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "lab/deadlines/counting.hpp"
#include "lab/deadlines/phase.hpp"
#include "takt/takt.hpp"

namespace takt::lab::deadlines {

/// The control loop under test, written as a user would: a timer of 10 ms whose period is its deadline, which
/// writes down both clocks and, in an injected phase, sleeps 22 ms in every 50th callback.
class ControlNode : public Node {
 public:
  static constexpr const char* kTimer = "control";
  static constexpr const char* kOver = "the phase is over";

  /// In a simulated phase its clock is the one of /clock.
  ControlNode(const Phase& phase, NodeOptions options);

  /// Starts the loop; after `length` of wall time the node shuts its context down. Once, and in a simulated
  /// phase when its clock has started.
  void begin(Duration length);

  /// After spin() has returned.
  const std::vector<Row>& rows() const noexcept { return rows_; }
  /// After begin().
  const timing::Section& section() const noexcept { return timer_->section(); }

 private:
  void step();

  const Phase phase_;
  std::vector<Row> rows_;
  Timer::SharedPtr timer_;
  Timer::SharedPtr end_;
};

}  // namespace takt::lab::deadlines
