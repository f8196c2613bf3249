// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "takt/core/time.hpp"

namespace takt {

/// The one ordinary thread of a process for what the real-time path must not do: folding records, writing the
/// log, retiring objects, the watchdog. It sleeps for good while nothing happens (an idle process uses no
/// CPU) and runs its tasks every kRound while something does.
class House {
 public:
  static constexpr Duration kRound = std::chrono::milliseconds{50};

  /// A task returns true while it had something to do; when all return false the house goes to deep sleep
  /// until stir(). A task that throws is logged and kept; it counts as having had nothing to do.
  using Task = std::function<bool()>;
  class Registration;  ///< removes the task at destruction, and waits for a running one unless called from it

  House();
  /// Waits for the running round. Registrations may outlive the house. From one of its tasks it is a bug.
  ~House();
  House(const House&) = delete;
  House& operator=(const House&) = delete;

  /// Tasks run in the order in which they were added. May be called from a task (the new one runs from the
  /// next round on).
  [[nodiscard]] std::unique_ptr<Registration> add(Task task);

  /// Says that there is something to do. Real-time: wait-free; a system call (futex wake) only when the house
  /// is in deep sleep.
  void stir() noexcept {
    // Work that is announced already needs no second word: a round is to come, and one more before deep
    // sleep.
    if (!work_.load(std::memory_order_relaxed)) announce();
  }
  /// As stir(), and cuts the current round short. Real-time: wait-free; one futex wake.
  void hurry() noexcept;
  /// For a signal handler, which cannot call hurry() on an object it may not know: moving and waking this
  /// word is the same.
  std::atomic<std::uint32_t>& bell() noexcept { return bell_; }

  /// Runs every task once in the calling thread (may block on a running round). Not from a task.
  void run_now();

  /// How many rounds the house's thread has run. Wait-free.
  std::uint64_t rounds() const noexcept { return rounds_.load(std::memory_order_relaxed); }

  /// The process's own house, started at the first call. Its thread ends in an exit handler; the object is
  /// never destroyed, so that static objects may use it at any time.
  static House& of_process();

 private:
  struct Entry;
  struct Tasks;
  void loop();
  bool run_round();
  void announce() noexcept;
  void wake() noexcept;
  void stop_within(Duration patience) noexcept;

  std::atomic<std::uint32_t> bell_{0};  // what the thread sleeps on; moves only to end its sleep
  std::atomic<bool> work_{false};       // something to do since the last round began
  std::atomic<bool> deep_{false};       // the thread sleeps without a timeout, or is about to
  std::atomic<bool> stop_{false};
  std::atomic<std::uint32_t> ended_{0};  // 1 once the thread runs no task any more
  std::atomic<std::uint64_t> rounds_{0};
  std::shared_ptr<Tasks> tasks_;
  std::thread thread_;  // last: it uses all of the above
};

class House::Registration {
 public:
  Registration(std::shared_ptr<Tasks> tasks, std::shared_ptr<Entry> entry);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  std::shared_ptr<Tasks> tasks_;
  std::shared_ptr<Entry> entry_;
};

}  // namespace takt
