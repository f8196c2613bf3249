// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "takt/core/clock.hpp"
#include "takt/transport/shm/bells.hpp"

namespace takt {

/// What the workers of an executor sleep on: a word of this process or, where messages come from other
/// processes as well, a row of the host's bells, which those move. One wait for both: whoever has news moves
/// the same word.
class Doorbell {
 public:
  /// `row` may be null: of this process alone. Then `clock` waits, real or virtual.
  Doorbell(MonotonicClock& clock, std::unique_ptr<shm::Bells::Bell> row);
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Real-time: wait-free.
  std::uint32_t value() const noexcept { return word_->load(); }
  /// Says that there is news; who waits has to be woken as well. Real-time: wait-free.
  void move() noexcept { word_->fetch_add(1); }
  /// Real-time: wait-free; a futex wake.
  void wake_one() noexcept;
  void wake_all() noexcept;
  /// Until it has moved from `seen`, or `deadline`; may end early. May block; one system call.
  WaitResult wait(std::uint32_t seen, SteadyTime deadline) noexcept;

  /// What another process needs to ring it; kNoRow when none can.
  static constexpr std::uint32_t kNoRow = UINT32_MAX;
  std::uint32_t row() const noexcept { return row_ ? row_->index() : kNoRow; }
  /// Of the threads that will wait: the highest is woken first.
  void set_priority(int priority) noexcept;

 private:
  MonotonicClock& clock_;
  std::unique_ptr<shm::Bells::Bell> row_;
  std::atomic<std::uint32_t> own_{0};
  std::atomic<std::uint32_t>* word_;
};

}  // namespace takt
