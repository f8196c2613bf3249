// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "takt/core/time.hpp"

namespace takt::lab::priority {

/// wall: until so much time has passed, as the published measurements did it; a loop that is preempted does
/// less. cpu: until the thread has had so much of a CPU; preemption makes it longer.
enum class WorkKind : std::uint8_t { wall, cpu };

/// A known amount of work: a busy loop. Real-time: no allocation; one clock read after the other.
class Work {
 public:
  explicit Work(WorkKind kind) : kind_(kind) {}
  void burn(Duration amount) const noexcept;

 private:
  WorkKind kind_;
};

}  // namespace takt::lab::priority
