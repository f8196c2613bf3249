// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "takt/core/time.hpp"

namespace takt {

/// The one ordinary thread of a process for what the real-time path must not do: folding records, writing the log, retiring
/// objects, the watchdog. It sleeps for good while nothing happens (an idle process uses no CPU) and runs its tasks every
/// kRound while something does.
class House {
 public:
  static constexpr Duration kRound = std::chrono::milliseconds{50};

  /// A task returns true while it had something to do; when all return false the house goes to deep sleep until stir().
  using Task = std::function<bool()>;
  class Registration;  ///< removes the task at destruction, and waits for a running one unless called from it

  House();
  ~House();
  House(const House&) = delete;
  House& operator=(const House&) = delete;

  [[nodiscard]] std::unique_ptr<Registration> add(Task task);

  /// Says that there is something to do. Real-time: wait-free; a system call (futex wake) only when the house is in deep sleep.
  void stir() noexcept;
  /// As stir(), and cuts the current round short. Real-time: wait-free; one futex wake.
  void hurry() noexcept;

  /// Runs every task once in the calling thread (may block on a running round). Not from a task.
  void run_now();

  /// The process's own house, started at the first call and alive until exit.
  static House& of_process();

 private:
  struct Entry;
  void loop();

  std::atomic<std::uint32_t> bell_{0};
  std::atomic<bool> deep_{false};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // guards tasks_; held while a round runs
  std::vector<std::shared_ptr<Entry>> tasks_;
  std::thread thread_;
};

class House::Registration {
 public:
  Registration(House& house, std::shared_ptr<Entry> entry);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  House& house_;
  std::shared_ptr<Entry> entry_;
};

}  // namespace takt
