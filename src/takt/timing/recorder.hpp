// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "takt/core/scheduling.hpp"
#include "takt/timing/section.hpp"

namespace takt::timing {

class Monitor;
class WorkerLog;

/// What triggered an activation. Everything but the release has a sensible default.
struct Trigger {
  ClockTime release{};                      ///< when it should have started, on the section's clock
  std::optional<ClockTime> start_on_clock;  ///< unset: the section lies on the monotonic clock
  std::optional<SteadyTime> start;          ///< a reading of the monotonic clock just taken; unset: read now
  std::optional<SteadyTime> arrival;        ///< unset: the start
  std::optional<Origin> origin;             ///< unset: begins a chain; set but unknown: the chain is lost
  std::uint32_t skipped = 0;
  std::uint32_t flags = 0;  ///< RecordFlags
};

/// One running activation: lives on the stack between begin() and end(), and is current_activation()
/// meanwhile, hence never copied. Activations may nest.
struct Activation {
  Activation() = default;
  /// Enters: from here on it is the thread's current one, until Recorder::end.
  Activation(Section& entered, const Trigger& trigger, SteadyTime now) noexcept;
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;

  Section* section = nullptr;
  SteadyTime start{};
  ClockTime release{};
  ClockTime start_on_clock{};
  SteadyTime arrival{};
  Origin origin{};  ///< of the chain: its own start unless it was triggered by a message that carried one
  std::uint64_t index = 0;           ///< from 1
  std::optional<Duration> interval;  ///< since the section's previous start; unset: there is none
  std::uint32_t skipped = 0;
  std::uint32_t flags = 0;
  Activation* outer = nullptr;
};

/// Writes the records of one thread. Make it in that thread, use it in that thread only.
class Recorder {
 public:
  /// Allocates and touches the ring; registers with the monitor. `thread` is shown in verdicts (asked and
  /// granted scheduling). Recorders with the same `pool` (not empty) share their work: an executor's workers.
  Recorder(Monitor& monitor, ThreadOptions asked, ThreadState granted, std::string pool = {});
  /// For a bare thread: reads the thread's own state.
  explicit Recorder(Monitor& monitor);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Real-time: wait-free, no allocation; one clock read unless trigger.start is given.
  Activation begin(Section& section, const Trigger& trigger) noexcept;
  /// Release is now.
  Activation begin(Section& section) noexcept;
  /// Writes the record, counts, judges, calls the miss handler. Real-time: wait-free but for the user's
  /// handler; one clock read; after a miss a snapshot of the thread's system counters (system calls: 5 to 15
  /// us in a virtual machine); a worker that never waits takes one every 20 ms.
  Outcome end(Activation& activation) noexcept;
  /// The monotonic time of the last end(): spares a clock read.
  SteadyTime last_finish() const noexcept;

  /// Call just before the thread waits: takes the snapshot that the next miss is compared with (system
  /// calls: about 5 us in a virtual machine). A thread that judges nothing takes a
  /// few only.
  void before_wait() noexcept;
  /// Call just after the wait.
  void after_wait(SteadyTime now) noexcept;

 private:
  std::shared_ptr<WorkerLog> log_;
};

/// The activation that the calling thread is in, or nullptr. Publishing asks it for the origin, and a firm
/// one whether it is late.
Activation* current_activation() noexcept;

}  // namespace takt::timing
