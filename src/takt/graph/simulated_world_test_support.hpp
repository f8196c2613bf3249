// SPDX-License-Identifier: Apache-2.0
// For tests: a machine and a simulator on it, both exact.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "takt/core/clock.hpp"

namespace takt {

/// Wall time moves only when somebody waits or sleeps. On its way the simulator's samples arrive, in the
/// thread that waits: every step of simulated time after step / RTF of wall time, the first one a step after
/// the start. One thread.
class SimulatedWorld final : public MonotonicClock {
 public:
  using Deliver = std::function<void(ClockTime sample, SteadyTime at)>;
  struct Options {
    Duration step = std::chrono::milliseconds{1};
    double rtf = 1;
    ClockTime start{std::chrono::seconds{1}};  ///< the first sample
  };

  SimulatedWorld() : SimulatedWorld(Options{}) {}
  explicit SimulatedWorld(Options options)
      : options_(options),
        wall_step_(static_cast<std::int64_t>(static_cast<double>(options.step.count()) / options.rtf)),
        sample_(options.start) {}

  /// Without it there is no simulator.
  void deliver_to(Deliver deliver) {
    deliver_ = std::move(deliver);
    next_ = steady_now() + wall_step_;
  }
  void pause(bool paused) { paused_ = paused; }
  void jump_to(ClockTime sample) { sample_ = sample; }  ///< with the next step
  void silence() { deliver_ = nullptr; }

  SteadyTime steady_now() const noexcept override { return now_.load(); }

  WaitResult wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                  SteadyTime deadline) noexcept override {
    if (word.load() != expected) return WaitResult::woken;
    if (deadline <= steady_now()) return WaitResult::timed_out;
    if (deliver_ && next_ <= deadline) {
      step();
      return WaitResult::woken;
    }
    now_ = deadline;
    return WaitResult::timed_out;
  }

  void sleep_until(SteadyTime deadline) noexcept override {
    while (deliver_ && next_ <= deadline) step();
    now_ = std::max(steady_now(), deadline);
  }

 private:
  void step() {
    now_ = std::max(steady_now(), next_);
    next_ += wall_step_;
    deliver_(sample_, steady_now());
    if (!paused_) sample_ += options_.step;
  }

  const Options options_;
  const Duration wall_step_;
  Deliver deliver_;
  std::atomic<SteadyTime> now_{SteadyTime{std::chrono::hours{1}}};  // the house may look at it
  SteadyTime next_{};
  ClockTime sample_;
  bool paused_ = false;
};

}  // namespace takt
