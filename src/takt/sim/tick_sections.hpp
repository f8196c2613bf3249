// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "takt/core/time.hpp"
#include "takt/timing/monitor.hpp"

namespace takt::sim {

/// How the iterations of a clock are judged: as the section clock/tick, released at the target, with the wall
/// step as deadline. Each wall step has a section of its own. One thread at a time; may block and allocate.
class TickSections {
 public:
  /// Each keeps about 75 KB, and 400 bytes for each of the monitor's last misses.
  static constexpr std::size_t kMost = 128;

  explicit TickSections(timing::Monitor& monitor) : monitor_(monitor) {}

  /// Null for zero (flat out: nothing is due), and when there are too many.
  timing::Section* of(Duration wall_step);
  /// Of those that had an iteration, in the order in which they were first asked for.
  std::vector<timing::Verdict> verdicts();

 private:
  timing::Monitor& monitor_;
  std::vector<timing::Section*> sections_;  // each with another wall step as its deadline
};

}  // namespace takt::sim
