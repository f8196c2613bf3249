// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "takt/core/time.hpp"
#include "takt/sim/real_time_factor.hpp"
#include "takt/sim/world_clock.hpp"

namespace takt::sim {

/// What a clock can be asked for. The numbers are those of takt_msgs/ClockRequest.
struct ClockCommand {
  enum class Kind : std::uint8_t { status, pause, resume, step, run_to, reset, set_rtf };
  Kind kind = Kind::status;
  std::uint64_t steps = 0;
  ClockTime time{};
  double rtf = 0;
};

/// A clock at one moment: its last iteration.
struct ClockStatus {
  ClockTime sim_time{};
  SteadyTime at{};     ///< when that was published
  SteadyTime first{};  ///< when the first was
  WorldState state = WorldState::running;
  std::uint64_t steps_left = 0;
  double target_rtf = 1;  ///< 0: flat out
  Factors factors;
  Duration window{};
  std::uint64_t iterations = 0;
  std::uint64_t late_iterations = 0;
  Duration dropped{};
  Duration sim_gained{};   ///< since the first iteration, or the last reset
  Duration wall_gained{};  ///< the same without what was paused
};

/// What became of a command, and the state afterwards.
struct ClockOutcome {
  Refusal refusal = Refusal::none;
  ClockStatus status;
};

/// Why it was refused, in words; empty when it was not.
std::string words_of(Refusal refusal, const ClockCommand& command, const ClockStatus& status);

}  // namespace takt::sim
