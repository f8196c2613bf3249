// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "takt/core/clock.hpp"
#include "takt/timing/recorder.hpp"

namespace takt {

class ReadySlot;

/// What a worker hands to the activation it starts.
struct RunContext {
  timing::Recorder& recorder;
  SteadyTime now;    ///< a reading of the executor's clock just taken
  bool may_overlap;  ///< its group is reentrant: further input is to be announced (notify) before the body
                     ///< runs
};

/// A callback as an executor sees it: something that becomes ready and is run once for each time it was.
/// Timers and subscriptions are made of one each; the handle that the user holds is another object, so that a
/// callback may drop its own handle. The last reference is dropped on the house thread.
class Executable {
 public:
  Executable(timing::Monitor& monitor, timing::Section& section) : monitor_(monitor), section_(section) {}
  virtual ~Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  /// Runs at most one activation, if there still is a reason for one: begin, body, end with the recorder.
  /// Nothing is recorded, and nullopt returned, when there is none (a spurious or outdated readiness). An
  /// exception of the body leaves it after recorder.end() (flag kThrew). Called by the worker that owns the
  /// callback's group.
  virtual std::optional<timing::Outcome> run(RunContext& context) = 0;

  /// Whether there is input that no notify() will announce again: it is then queued anew. Real-time:
  /// wait-free.
  virtual bool has_work() const noexcept = 0;

  /// The next time it becomes ready by itself (timers), else kNever. Real-time: wait-free.
  virtual SteadyTime due() const noexcept { return kNever; }
  /// The distance of its due times; zero: none. Real-time: wait-free.
  virtual Duration period() const noexcept { return Duration::zero(); }
  /// Other processes send to it: has_work() is asked whenever its executor's bell has moved. Constant once it
  /// is attached.
  virtual bool hears_other_processes() const noexcept { return false; }
  /// From now on they ring this row of the host's bells. Under the graph mutex.
  virtual void ring_at(std::uint32_t /*row*/) noexcept {}
  /// Becomes ready by itself all the time, so that it may not run on a real-time thread.
  virtual bool always_ready() const noexcept { return false; }
  /// Its executor begins to spin at `now`: what was due before could not have run, and is excluded.
  virtual void spin_begins(SteadyTime /*now*/) noexcept {}

  timing::Section& section() const noexcept { return section_; }
  /// "<node>/<name>". Allocates.
  std::string name() const { return section_.full_name(); }

  /// Makes it ready as of `since` in the executor that its group is attached to; nothing when there is none
  /// (has_work() is asked at the next attach). Any thread. Real-time: wait-free, and one futex wake when a
  /// worker of that executor sleeps.
  void notify(SteadyTime since) noexcept;
  /// due() moved earlier or was set: the executor's sleeping worker must look again. As notify().
  void due_changed() noexcept;

 protected:
  timing::Monitor& monitor_;

 private:
  friend class ExecutorCore;
  timing::Section& section_;
  std::atomic<ReadySlot*> slot_{nullptr};
};

}  // namespace takt
