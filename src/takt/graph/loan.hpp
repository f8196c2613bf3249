// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/graph/message_pool.hpp"

namespace takt {

/// A message that a publisher lends: fill it, then publish(std::move(loan)). It holds what it held when it
/// was last given back, so that its vectors keep their capacity: assign every field. Dropped unpublished it
/// goes back to the publisher, also when that is gone. One thread at a time. All functions: real-time,
/// lock-free, allocate nothing.
template <class T>
class [[nodiscard]] Loan {
 public:
  Loan() noexcept = default;
  Loan(Loan&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), slot_(other.slot_) {}
  Loan& operator=(Loan&& other) noexcept {
    if (this != &other) {
      reset();
      pool_ = std::exchange(other.pool_, nullptr);
      slot_ = other.slot_;
    }
    return *this;
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() { reset(); }

  /// Empty when every message of the pool is out.
  static Loan from(MessagePool<T>& pool) noexcept {
    Loan loan;
    if (const auto slot = pool.claim()) {
      loan.pool_ = &pool;
      loan.slot_ = *slot;
    }
    return loan;
  }

  explicit operator bool() const noexcept { return pool_ != nullptr; }
  T* get() const noexcept { return pool_ == nullptr ? nullptr : pool_->message(slot_); }
  /// Of an empty loan: a bug.
  T& operator*() const noexcept {
    TAKT_CHECK(pool_ != nullptr);
    return *pool_->message(slot_);
  }
  T* operator->() const noexcept { return &**this; }

  /// Whether it lies in the memory that other processes read.
  bool is_abroad() const noexcept { return pool_ != nullptr && pool_->is_abroad(slot_); }
  /// Moves it there: of a type that is the same in both places. Not of an empty one.
  void place(shm::Writer::Filling&& filling, std::size_t offset) noexcept {
    pool_->place(slot_, std::move(filling), offset);
  }
  shm::Writer::Filling take_filling() noexcept { return pool_->take_filling(slot_); }

  /// Gives it back.
  void reset() noexcept {
    if (pool_ != nullptr) std::exchange(pool_, nullptr)->release(slot_);
  }

  /// The message for several: it goes back to the publisher when the last shared_ptr and weak_ptr are gone.
  /// Of an empty loan: a bug.
  std::shared_ptr<const T> share() && noexcept {
    TAKT_CHECK(pool_ != nullptr);
    auto& pool = *std::exchange(pool_, nullptr);
    return std::shared_ptr<const T>(
        pool.message(slot_), [](const T*) {}, SlotAllocator<T>(pool, slot_));
  }

  /// A copy on the heap, counted with the publisher. May allocate. Of an empty loan: a bug.
  std::unique_ptr<T> copy() const {
    auto made = std::make_unique<T>(**this);
    pool_->count_copy();
    return made;
  }

 private:
  MessagePool<T>* pool_ = nullptr;
  std::uint32_t slot_ = 0;
};

}  // namespace takt
