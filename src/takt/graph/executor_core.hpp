// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt/core/clock.hpp"
#include "takt/core/house.hpp"
#include "takt/graph/doorbell.hpp"
#include "takt/graph/executor_options.hpp"
#include "takt/graph/ready_set.hpp"
#include "takt/timing/recorder.hpp"

namespace takt {

class CallbackGroup;
class Context;

/// One thread that runs callbacks of a core, for as long as it does.
struct Worker {
  ExecutorCore* core = nullptr;
  timing::Recorder* recorder = nullptr;
  std::size_t index = 0;
  Worker* outer =
      nullptr;  ///< the worker that this one is nested in (a spin inside a callback of another executor)
  bool just_ran = false;  ///< the recorder's last finish is now
};

/// The engine of an Executor: who is attached, who is ready, who sleeps. Invariants:
/// 1. News is written (bit or due time), then the bell is moved, then sleepers are counted; a worker reads
/// the bell, looks for
///    news, counts itself asleep, then waits for the bell to move. All sequentially consistent: no wake-up is
///    lost.
/// 2. While any worker sleeps and another runs, the earliest due time is covered by a sleeper that wakes at
/// or before it.
/// 3. Structure (slots, groups) changes only under the context's graph mutex, which no worker takes on the
/// hot path.
/// 4. A core is never freed before its context; a released one is reused.
class ExecutorCore {
 public:
  static constexpr std::size_t kMaxThreads = 64;

  explicit ExecutorCore(Context& context);
  ~ExecutorCore();

  // Structure; the caller holds the graph mutex.
  void configure(const ExecutorOptions& options);
  void attach(CallbackGroup& group);
  void attach(CallbackGroup& group, const std::shared_ptr<Executable>& callback);
  /// Marks the group's callbacks removed: none starts any more. The caller then waits for `left` without the
  /// mutex.
  void detach(CallbackGroup& group, std::vector<ReadySlot*>& left);
  void detach(Executable& callback, std::vector<ReadySlot*>& left);
  /// Waits until no activation is inside; not from a worker of this core, which returns at once (PROTOCOL of
  /// removal).
  void wait_until_left(const std::vector<ReadySlot*>& left) const noexcept;

  // News; any thread, real-time: wait-free and at most one futex wake.
  void set_ready(ReadySlot& slot, SteadyTime since) noexcept;
  void due_changed(ReadySlot& slot, const Executable& callback) noexcept;
  void ring() noexcept;
  void ring_all() noexcept;

  // Workers.
  /// Runs the best ready callback (within `only`, whose bit is then cleared). False when there is none.
  bool run_one(Worker& worker, ReadySet::Mask* only);
  /// Waits for news, the next due time or `limit`.
  void wait(Worker& worker, std::uint32_t bell, SteadyTime limit) noexcept;
  std::uint32_t bell() const noexcept { return doorbell_.value(); }
  /// Makes those ready that have messages from other processes, if the bell has moved since this was done
  /// last. Real-time: wait-free.
  void hear_other_processes() noexcept;
  ReadySet& ready() noexcept { return ready_; }
  bool called_from_worker() const noexcept;

  /// Slots that passed while nobody could run them are excluded, not missed. `first_only`: only before the
  /// first spin ever.
  void spin_begins(bool first_only);

  void stop() noexcept;
  bool stopping() const noexcept;
  void clear_stop() noexcept { stop_.store(false); }
  /// Keeps the first failure and stops.
  void fail(std::exception_ptr exception, const std::string& callback) noexcept;
  void clear_failure();
  void rethrow_failure();
  std::string failed_callback() const;

  Context& context() const noexcept { return context_; }
  MonotonicClock& clock() const noexcept { return clock_; }
  const ExecutorOptions& options() const noexcept { return options_; }

  std::atomic<bool> spinning{false};

 private:
  enum class Start : std::uint8_t { ran, group_busy, lost };
  static constexpr std::int64_t kAwake = INT64_MIN;

  ReadySlot* best(const ReadySet::Mask* only, const ReadySet::Mask* skip) const noexcept;
  bool run_another(Worker& worker, ReadySet::Mask* only, const ReadySlot& busy, SteadyTime now,
                   SteadyTime next_due);
  Start try_run(Worker& worker, ReadySlot& slot, SteadyTime now, SteadyTime next_due);
  void run(Worker& worker, ReadySlot& slot, SteadyTime now);
  void share_the_rest(const ReadySlot& taken, SteadyTime next_due) noexcept;
  bool covered(SteadyTime due) const noexcept;
  bool poll(std::uint32_t bell, SteadyTime limit) noexcept;
  SteadyTime wake_time_for(const Worker& worker) const noexcept;
  bool sweep();  // house: destroys callbacks of removed slots, watches over the workers
  bool watch_workers();

  Context& context_;
  MonotonicClock& clock_;
  ExecutorOptions options_;
  // Read by late callers, too, while a reused core is configured anew.
  std::atomic<std::size_t> threads_{1};
  std::atomic<bool> real_time_{false};
  ReadySet ready_;

  Doorbell doorbell_;
  alignas(64) std::atomic<std::uint32_t> heard_{0};  // the bell as it was when other processes were heard
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::array<std::atomic<std::int64_t>, kMaxThreads> sleep_until_ns_;

  struct Running {  // for the watchdog
    std::atomic<const timing::Section*> section{nullptr};
    std::atomic<std::int64_t> since_ns{0};
    std::int64_t reported_ns = 0;  // house thread only
  };
  std::array<Running, kMaxThreads> running_;

  // Guarded by the graph mutex:
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> removed_slots_;
  std::uint32_t next_slot_ = 0;
  std::uint64_t next_order_ = 0;
  bool ever_spun_ = false;

  mutable std::mutex failure_mutex_;  // guards the next two
  std::exception_ptr failure_;
  std::string failed_callback_;

  std::unique_ptr<House::Registration> house_task_;  // last: its task uses all of the above
};

/// The innermost worker that the calling thread is, or nullptr.
Worker* current_worker() noexcept;

/// Makes the calling thread a worker for as long as it lives.
class WorkerScope {
 public:
  WorkerScope(ExecutorCore& core, timing::Recorder& recorder, std::size_t index) noexcept;
  ~WorkerScope();
  WorkerScope(const WorkerScope&) = delete;
  WorkerScope& operator=(const WorkerScope&) = delete;
  Worker& worker() noexcept { return worker_; }

 private:
  Worker worker_;
};

}  // namespace takt
