// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "takt/core/time.hpp"

namespace takt {

/// What a node knows of ROS time.
struct TimeState {
  bool active = false;   ///< its time is simulated: use_sim_time
  bool started = false;  ///< a sample other than 0 has come since
  bool stands = false;   ///< the last sample came twice, or no other for long: the simulation is paused
  /// Moves with every jump backward and every change of the source: what was due before is not due any more.
  std::uint32_t epoch = 0;
  std::uint32_t stops = 0;  ///< how often it has stood and gone on
  ClockTime now{};          ///< the last sample, never extrapolated; 0: not started
  SteadyTime arrival{};     ///< of that sample
  ClockTime jumped_from{};  ///< the last jump forward: slots in (jumped_from, jumped_to] could not be in time
  ClockTime jumped_to{};
};

/// The current TimeState: written by one thread at a time, read by any number. A writer that is preempted in
/// the middle keeps no reader waiting, since readers look at the state before: a state is written beside the
/// last three.
class TimeCell {
 public:
  /// Real-time: lock-free; tries again only when three states were written meanwhile.
  TimeState read() const noexcept;
  /// Real-time: wait-free. One thread at a time.
  void write(const TimeState& state) noexcept;

 private:
  static constexpr std::uint32_t kStates = 4;
  struct alignas(64) Words {
    std::atomic<std::uint64_t> flags_and_epoch{0};
    std::atomic<std::uint32_t> stops{0};
    std::atomic<std::int64_t> now{0}, arrival{0}, jumped_from{0}, jumped_to{0};
  };

  std::array<Words, kStates> states_;
  std::atomic<std::uint32_t> version_{0};
};

}  // namespace takt
