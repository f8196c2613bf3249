// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "takt/core/clock.hpp"
#include "takt/timing/chain.hpp"
#include "takt/timing/history.hpp"
#include "takt/timing/pending_records.hpp"
#include "takt/timing/section_fold.hpp"
#include "takt/timing/steal_log.hpp"
#include "takt/timing/worker_log.hpp"

namespace takt::timing {

/// Merges the records of all workers in order of start and folds them into their sections.
/// Invariants: 1. `mutex_` guards everything below it; it is held for at most kBatch records; a worker only
/// tries it.
/// 2. A record waits in `pending_` until no running activation can have started before it, at most
/// kLongestHold; `everything` does not wait. 3. `run_mutex_` (house and readers, never a worker) is taken
/// before `mutex_`; observers run under it alone.
class Fold {
 public:
  using Observer = std::function<void(const ActivationRecord&)>;

  Fold(const MonotonicClock& clock, bool real_clock, std::uint32_t ring_records);

  /// What a thread asked for and got. Kept for good; its log only until the thread has ended and everything
  /// is folded.
  struct Worker {
    ThreadOptions asked;
    ThreadState granted;
    std::string pool;
    std::shared_ptr<WorkerLog> log;
  };

  void add(SectionFold& section);
  /// Records of it that are still to come are passed over.
  void remove(SectionId id);
  void add(std::shared_ptr<WorkerLog> log);
  std::shared_ptr<void> observe(Observer observer);

  /// Folds what can be folded. False: there was nothing. May block.
  bool run(bool everything);
  /// Worker: makes room in its ring. Never blocks, allocates nothing. False: somebody folds right now, or
  /// there is no room.
  bool try_drain(WorkerLog& log) noexcept;
  /// Folds everything, then forgets it: activations that have begun by now are not counted.
  void reset();

  /// With everything at rest: calls `f` under the mutex.
  template <class F>
  auto read(F&& f) {
    const std::lock_guard lock(mutex_);
    return f();
  }
  // The following four: only within read().
  const std::vector<Worker>& workers() const noexcept { return workers_; }
  std::int64_t first_start_ns() const noexcept { return first_start_ns_; }
  std::uint64_t inline_folds() const noexcept { return inline_folds_; }
  const std::vector<SectionFold*>& sections() const noexcept { return sections_; }

 private:
  struct Watch {
    Observer observer;
    bool alive = true;
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kBatch = 512;

  std::size_t fold_batch(bool everything);
  std::uint32_t evidence_for(WorkerLog& log, const ActivationRecord& record) noexcept;
  bool drain(WorkerLog& log, std::size_t limit) noexcept;
  std::size_t process(std::int64_t until_ns, std::size_t limit, bool collect) noexcept;
  void fold_one(const Pending& pending) noexcept;
  void fold_chains(const ActivationRecord& record, std::uint32_t worker) noexcept;
  KeptMiss explain(const Pending& pending, SectionFold& section, std::uint64_t index) noexcept;
  std::int64_t held_from(std::int64_t now_ns) const noexcept;
  void drop_ended();
  void deliver();

  const MonotonicClock& clock_;
  const bool real_clock_;
  std::recursive_mutex run_mutex_;
  std::vector<std::shared_ptr<Watch>> watches_;  // guarded by run_mutex_
  std::vector<ActivationRecord> collected_;      // guarded by run_mutex_

  std::mutex mutex_;
  std::vector<SectionFold*> sections_;  // by id
  std::vector<Worker> workers_;         // by number
  PendingRecords pending_;
  std::vector<Evidence> evidence_;  // of pending records, which hold their place here or kNone
  std::vector<std::uint32_t> free_evidence_;
  History history_;
  StealLog steal_;
  std::uint64_t inline_folds_ = 0;
  std::int64_t first_start_ns_ = INT64_MAX;
  std::int64_t reset_ns_ = INT64_MIN;
  std::int64_t minor_fault_ns_ = 0;
  std::int64_t rt_hole_ns_ = 0;
  bool watched_ = false;
  bool more_ = false;  // the last batch left something to do
};

}  // namespace takt::timing
