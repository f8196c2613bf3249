// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "takt/core/scheduling.hpp"
#include "takt/sim/clock_command.hpp"
#include "takt/sim/clock_events.hpp"
#include "takt/sim/clock_outputs.hpp"
#include "takt/sim/pacer.hpp"
#include "takt/sim/tick_sections.hpp"

namespace takt::sim {

/// The thread that moves simulated time and publishes it: one iteration at each target of the pacer. It
/// sleeps on one word, so that a command acts at once. The sample that shows it comes with the next
/// iteration.
/// Invariants: 1. world_, pacer_ and factors_ are the thread's own while it runs. 2. A command is handed over
/// in mailbox_, by the holder of mutex_, and is the thread's from has_command_ until answered_ moves.
class PacingThread {
 public:
  struct Options {
    WorldOptions world;
    ThreadOptions thread;
    std::uint32_t events = 0;  ///< kept for take_event(); 0: none
  };

  /// Starts with the first iteration at once. Errors: SetupError, also when the scheduling is refused.
  PacingThread(timing::Monitor& monitor, ClockOutputs& outputs, const Options& options);
  ~PacingThread();
  PacingThread(const PacingThread&) = delete;
  PacingThread& operator=(const PacingThread&) = delete;

  /// Any other thread; waits for the pacing thread; allocates for a new factor.
  ClockOutcome command(const ClockCommand& command);
  /// After it commands are refused. Any other thread; may block.
  void stop();

  std::optional<ClockEvent> take_event() noexcept;
  std::uint64_t lost_events() const noexcept { return events_ ? events_->lost() : 0; }
  /// What the kernel granted.
  const ThreadState& granted() const noexcept { return granted_; }
  /// How the iterations were judged, one for each factor. Any other thread; may block.
  std::vector<timing::Verdict> verdicts();

 private:
  struct Mail {
    ClockCommand command;
    timing::Section* section = nullptr;  // of the new factor
    ClockOutcome outcome;
  };

  // The caller's:
  std::optional<Refusal> refused_beforehand(const ClockCommand& command);
  void end();  // under mutex_
  void wake() noexcept;

  // The thread's own:
  void run(std::promise<void>& begun);
  void loop(timing::Recorder& recorder);
  void wait(timing::Recorder& recorder, std::uint32_t seen) noexcept;
  void answer() noexcept;
  Refusal carry_out(const Mail& mail) noexcept;
  void iterate(timing::Recorder& recorder, SteadyTime now);
  void publish(SteadyTime now);
  void keep_pace() noexcept;
  ClockStatus status() const noexcept;
  SteadyTime now() const noexcept { return clock_.steady_now(); }

  MonotonicClock& clock_;
  timing::Monitor& monitor_;
  ClockOutputs& outputs_;
  const ThreadOptions thread_options_;
  const bool real_time_;
  TickSections sections_;

  WorldClock world_;
  Pacer pacer_;
  RealTimeFactor factors_;
  std::unique_ptr<ClockEvents> events_;
  timing::Section* section_ = nullptr;  // null: flat out
  std::uint32_t skipped_ = 0;           // iterations that were dropped before the next
  bool new_pace_ = true;                // since the last publish
  SteadyTime first_{}, last_{};         // publishes
  SteadyTime last_statistics_{};
  std::uint64_t iterations_ = 0;

  std::mutex mutex_;                  // guards sections_, thread_, and the right to hand over a command
  std::atomic<bool> stopped_{false};  // commands are refused
  Mail mailbox_;
  std::atomic<bool> has_command_{false};
  std::atomic<bool> stop_{false};           // the thread shall end
  std::atomic<std::uint32_t> word_{0};      // what the thread sleeps on
  std::atomic<std::uint32_t> answered_{0};  // what a caller sleeps on
  ThreadState granted_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace takt::sim
