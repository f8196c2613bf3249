// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "takt/core/time.hpp"

namespace takt::sim {

enum class WorldState : std::uint8_t { running, paused, stepping, running_to };
/// "running", "paused", "stepping", "running to a time".
const char* to_string(WorldState state) noexcept;

/// Why a request was not carried out.
enum class Refusal : std::uint8_t {
  none,
  not_paused,          ///< only a paused clock can be stepped
  bad_steps,           ///< none, or more than kMostSteps
  in_the_past,         ///< run to a time that has been
  bad_time,            ///< no time at all, or beyond kLastTime
  bad_factor,          ///< not a number, negative, or beyond kLargestFactor
  flat_out_real_time,  ///< a real-time thread that never waits would starve all others
  too_many_factors,    ///< each has rules and figures of its own
  unknown_command,
  stopped,  ///< the server has ended
};

inline constexpr std::uint64_t kMostSteps = 1'000'000'000;
inline constexpr double kLargestFactor = 1e6;
/// builtin_interfaces/Time has 31 bits of seconds.
inline constexpr ClockTime kLastTime{std::chrono::seconds{INT32_MAX}};

struct WorldOptions {
  Duration step = std::chrono::milliseconds{1};  ///< simulated time of one iteration
  ClockTime start{std::chrono::seconds{1}};      ///< above zero, which means "not started"
  double rtf = 1;                                ///< simulated seconds per wall second; below 1e-9: flat out
  bool paused = false;
};
/// Errors: SetupError for a step or start that is not above zero or too large, and for a bad factor.
void check(const WorldOptions& options);
/// Whether requests and options may have this factor.
bool is_factor(double rtf) noexcept;

/// The time of a simulated world, and whether it moves. Knows no wall time. One thread. Real-time: wait-free.
class WorldClock {
 public:
  /// Errors: as check().
  explicit WorldClock(const WorldOptions& options);

  ClockTime now() const noexcept { return now_; }
  Duration step_length() const noexcept { return step_; }
  WorldState state() const noexcept { return state_; }
  bool paused() const noexcept { return state_ == WorldState::paused; }
  std::uint64_t steps_left() const noexcept { return state_ == WorldState::stepping ? steps_left_ : 0; }

  /// One iteration: what is now() afterwards is published. The first one, also after a reset, shows the start
  /// itself. True when time moved. At kLastTime it pauses.
  bool advance() noexcept;

  /// Also ends stepping and running to a time.
  Refusal pause() noexcept;
  Refusal resume() noexcept;
  /// The next `n` iterations move time, then it is paused again.
  Refusal step(std::uint64_t n) noexcept;
  /// Runs, and pauses at exactly `time`: the last step is shorter where it has to be. At once when it is now.
  Refusal run_to(ClockTime time) noexcept;
  /// Time is the start again. What runs goes on (also to a time), what is paused stays so; steps that are
  /// left are dropped.
  Refusal reset() noexcept;

 private:
  const Duration step_;
  const ClockTime start_;
  ClockTime now_;
  ClockTime until_ = kLastTime;
  WorldState state_;
  std::uint64_t steps_left_ = 0;
  bool fresh_ = true;  // the start has not been shown yet
};

}  // namespace takt::sim
