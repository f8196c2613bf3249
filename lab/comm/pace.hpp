// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lab/comm/plan.hpp"
#include "lab/comm/stacks.hpp"
#include "takt/core/time.hpp"

namespace takt::lab::comm {

/// From this many subscribers on, setting up takes longer than a round: the processes are started once for a
/// point, and stopped (SIGSTOP) while others are measured.
inline constexpr std::uint32_t kKeptFrom = 64;
/// Whether this stack's are. Those of iceoryx are set up fast, and its daemon knows no more than 300.
bool are_kept(const StackFacts& stack, const Point& point);

/// How long all rounds of a point take, about.
Duration expected_at(const Plan& plan, const Point& point);

/// How long a run still takes: what is expected, in the measure of what the part behind it took.
class Pace {
 public:
  /// `begin`: the first point that is still to be measured.
  Pace(const Plan& plan, std::size_t begin);

  Duration expected() const noexcept { return expected_; }
  /// When `points` of them, and this share of the next one, have taken `elapsed`.
  Duration remaining(std::size_t points, double share, Duration elapsed) const;

 private:
  std::vector<Duration> points_;
  Duration expected_{};
};

}  // namespace takt::lab::comm
