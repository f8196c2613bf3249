// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "takt/core/clock.hpp"
#include "takt/core/house.hpp"
#include "takt/core/record_ring.hpp"
#include "takt/core/scheduling.hpp"
#include "takt/timing/evidence.hpp"
#include "takt/timing/recorder.hpp"
#include "takt/timing/system_counters.hpp"
#include "takt/timing/thread_counters.hpp"

namespace takt::timing {

class Fold;

/// What one thread records, and the path from a finished activation into it.
/// Invariants: 1. records and evidence have one writer, the thread; one reader, whoever holds the fold's
/// mutex. 2. A record that is flagged kEvidence is pushed after its evidence, in the same order. 3. Every
/// activation is counted in its section, and is either in the ring or among the section's not_recorded.
class WorkerLog {
 public:
  struct Options {
    std::uint32_t records = 4096;
    ThreadOptions asked;
    ThreadState granted;
    std::string pool;
    bool counters = true;  ///< take snapshots of the system's counters: only with a real clock
  };

  /// `house` and `fold` may be missing: then nobody is told, and a full ring drops.
  WorkerLog(MonotonicClock& clock, House* house, Fold* fold, Options options);

  /// The writer's part. Real-time: wait-free but for the user's miss handler.
  Activation enter(Section& section, const Trigger& trigger) noexcept;
  Activation enter_now(Section& section) noexcept;  // released now
  Outcome leave(Activation& activation) noexcept;
  SteadyTime last_finish() const noexcept { return last_finish_; }
  void before_wait() noexcept;
  void after_wait(SteadyTime now) noexcept;
  void end_of_thread() noexcept { ended_.store(true, std::memory_order_release); }

  /// Anybody's part. A record whose activation starts before this may still come.
  std::int64_t open_since_ns() const noexcept { return open_since_ns_.load(std::memory_order_acquire); }
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  const Options& options() const noexcept { return options_; }

  RecordRing<ActivationRecord> records;
  RecordRing<Evidence> evidence;
  std::uint32_t number = 0;  ///< among the fold's workers; set before the first record

 private:
  struct Judged {
    bool missed = false;
    Duration value{};  ///< the response, or the interval under that rule
  };
  Judged count(Activation& activation, Duration response) noexcept;
  /// A miss: what the thread's counters say, the miss handler, the chains. True: stop.
  bool follow_up(Activation& activation, Duration value) noexcept;
  bool close_chains(const Activation& activation) noexcept;
  bool tell(const Section& section, std::uint64_t index, Duration value) noexcept;
  Evidence compare_with_snapshot(SteadyTime now) noexcept;
  bool long_awake() const noexcept;
  void keep_snapshot(const ThreadSample& sample, SteadyTime now) noexcept;
  void read_system(SteadyTime now) noexcept;
  void record(const Activation& activation) noexcept;
  void count_lost(const Activation& activation) noexcept;

  // Used by every activation: one cache line.
  alignas(64) MonotonicClock& clock_;
  House* const house_;
  Fold* const fold_;
  SteadyTime last_finish_{};
  std::atomic<std::int64_t> open_since_ns_{INT64_MAX};  // start of the outermost activation
  std::int64_t snapshot_ns_ = 0;                        // when snapshot_ was taken
  std::int64_t wake_ns_ = Evidence::kUnknown;
  const bool counters_;
  bool judges_ = false;  // it has run a section that has a deadline
  std::atomic<bool> ended_{false};

  // The thread's own, around a wait and after a miss.
  ThreadSample snapshot_;
  std::uint32_t waits_ = 0;  // with a snapshot, until it judges
  struct Mark {
    std::int64_t at_ns = 0;
    std::int64_t cpu_ns = 0;
  };
  Mark mark_, mark_before_;  // thread CPU time, at least a second apart
  SteadyTime system_read_{};
  std::optional<ThreadCounters> thread_;
  std::optional<SystemCounters> system_;
  const Options options_;
};

}  // namespace takt::timing
