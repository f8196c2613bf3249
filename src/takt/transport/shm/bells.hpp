// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "takt/core/clock.hpp"
#include "takt/core/segment.hpp"
#include "takt/transport/shm/domain.hpp"

namespace takt::shm {

namespace layout {
struct Bell;
}

/// The file's name. The version is part of it: processes of two versions have no segments in common either.
inline constexpr const char* kBellsName = "bells-1";

/// The domain's file of bells: one row for each executor that sleeps in shared memory. Who has something for
/// an executor moves its bell and wakes it if it waits. May be used from any thread; outlives its Bell
/// objects.
class Bells : public std::enable_shared_from_this<Bells> {
 public:
  class Bell;  ///< a row that is this process's

  static constexpr std::uint32_t kRows = 4096;

  /// `lease` is the id of this process's lease in the domain (Domain::id_of). Errors: SetupError.
  static std::shared_ptr<Bells> open(const Domain& domain, std::uint64_t lease);

  /// A row of one's own. `priority`: that of the thread which will wait; the highest is woken first.
  /// Errors: SetupError when all are taken by living processes. May block.
  std::unique_ptr<Bell> claim(int priority);

  /// Moves the bell, and wakes one thread that waits for it. A number that is no row is ignored.
  /// Real-time: wait-free; a futex wake only if somebody waits.
  void ring(std::uint32_t row) noexcept;

  /// Moves all of them first, then wakes those who wait, highest priority first. Real-time: wait-free; a
  /// futex wake for each that waits.
  class Round {
   public:
    explicit Round(Bells& bells) noexcept : bells_(bells) {}
    void move(std::uint32_t row) noexcept;
    void wake() noexcept;

   private:
    struct Sleeper {
      std::int32_t priority;
      std::uint32_t row;
    };
    static constexpr std::uint32_t kMost = 1024;

    Bells& bells_;
    std::uint32_t count_ = 0;
    Sleeper sleepers_[kMost];  // NOLINT: left uninitialised on purpose, only `count_` are used
  };

  /// Frees the rows of dead processes and returns how many those were. May block.
  std::uint32_t reclaim() noexcept;
  std::uint32_t in_use() const noexcept;

 private:
  Bells(Segment segment, std::filesystem::path folder, std::uint64_t lease);
  layout::Bell& row(std::uint32_t index) const noexcept;

  Segment segment_;
  std::filesystem::path folder_;
  std::uint64_t lease_;
};

/// An executor's bell: read value(), look for work, and wait(value) if there was none. What is rung in
/// between ends the wait at once.
class Bells::Bell {
 public:
  Bell(std::shared_ptr<Bells> bells, std::uint32_t index) : bells_(std::move(bells)), index_(index) {}
  ~Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  /// What others need to ring it.
  std::uint32_t index() const noexcept { return index_; }
  /// Real-time: wait-free.
  std::uint32_t value() const noexcept;
  void set_priority(int priority) noexcept;

  /// For who has moved the word. Real-time: wait-free; a futex wake.
  void wake_one() noexcept;
  void wake_all() noexcept;
  /// What waiters look at, for a signal handler: to be moved, and woken with futex::wake_shared.
  std::atomic<std::uint32_t>& word() noexcept;

  /// Until the bell has moved from `seen`, or the deadline. May end early with `woken`. May block; one system
  /// call. Several threads may wait; a ring wakes one of them.
  WaitResult wait(std::uint32_t seen, SteadyTime deadline) noexcept;

 private:
  std::shared_ptr<Bells> bells_;
  std::uint32_t index_;
};

}  // namespace takt::shm
