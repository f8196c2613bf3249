// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "takt/core/slot_set.hpp"
#include "takt/graph/disposal.hpp"
#include "takt/graph/outlet.hpp"
#include "takt/transport/shm/writer.hpp"

namespace takt {

/// The messages that a publisher lends. Each slot has room for the control block of a shared_ptr, so that
/// sharing a loan allocates nothing. A slot is claimed from borrow() until the last owner, shared_ptr and
/// weak_ptr are gone. When the publisher is gone the house thread collects the slots one by one, and frees
/// the pool once it has all: so lending costs no count of references.
template <class T>
class MessagePool final : public Disposable {
 public:
  static constexpr std::size_t kControlBytes = 96;

  struct Drop {
    void operator()(MessagePool* pool) const noexcept { dispose(std::unique_ptr<Disposable>(pool)); }
  };
  using Handle = std::unique_ptr<MessagePool, Drop>;

  /// May allocate: all it will ever need.
  static Handle make(std::uint32_t size) { return Handle(new MessagePool(size)); }

  /// Real-time: lock-free, allocates nothing. Empty when all are lent.
  std::optional<std::uint32_t> claim() noexcept { return free_.claim(); }
  /// Real-time: wait-free.
  void release(std::uint32_t slot) noexcept {
    if (is_abroad(slot)) (void)take_filling(slot);
    free_.release(slot);
  }

  /// From now on slots can be lent in the memory that other processes read. Set-up; allocates.
  void lend_abroad(std::shared_ptr<Outlet> outlet) {
    outlet_ = std::move(outlet);
    fillings_ = std::make_unique<std::optional<shm::Writer::Filling>[]>(size());
  }
  /// The message of a claimed slot lies there until it is taken or released. Real-time: wait-free.
  void place(std::uint32_t slot, shm::Writer::Filling&& filling, std::size_t offset) noexcept {
    slots_[slot].at = reinterpret_cast<T*>(filling.bytes().data() + offset);
    fillings_[slot].emplace(std::move(filling));
  }
  bool is_abroad(std::uint32_t slot) const noexcept { return slots_[slot].at != &slots_[slot].message; }
  shm::Writer::Filling take_filling(std::uint32_t slot) noexcept {
    slots_[slot].at = &slots_[slot].message;
    auto filling = std::move(*fillings_[slot]);
    fillings_[slot].reset();
    return filling;
  }

  bool disposable() noexcept override {
    while (collected_ < size() && free_.claim()) ++collected_;
    return collected_ == size();
  }

  T* message(std::uint32_t slot) noexcept { return slots_[slot].at; }
  void* control(std::uint32_t slot) noexcept { return slots_[slot].control.data(); }
  std::uint32_t size() const noexcept { return free_.size(); }
  std::uint32_t lent() const noexcept { return free_.claimed(); }

  /// A taker that wants a unique_ptr of its own had to copy a loan.
  void count_copy() noexcept { copies_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t copies() const noexcept { return copies_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    T message{};
    T* at = &message;  ///< or where it lies in the memory that other processes read
    alignas(std::max_align_t) std::array<std::byte, kControlBytes> control;
  };

  explicit MessagePool(std::uint32_t size) : free_(size), slots_(new Slot[size]) {}

  SlotSet free_;
  std::unique_ptr<Slot[]> slots_;
  std::shared_ptr<Outlet> outlet_;  // outlives what is lent of it
  std::unique_ptr<std::optional<shm::Writer::Filling>[]> fillings_;
  std::uint32_t collected_ = 0;  // the house's own
  std::atomic<std::uint64_t> copies_{0};
};

/// Gives a shared_ptr the control block of one slot, and the slot back to the pool when that is no longer
/// used.
template <class T, class Block = T>
struct SlotAllocator {
  using value_type = Block;
  template <class Other>
  struct rebind {  // NOLINT(readability-identifier-naming): the name that allocators have
    using other = SlotAllocator<T, Other>;
  };

  SlotAllocator(MessagePool<T>& of, std::uint32_t at) noexcept : pool(&of), slot(at) {}
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): an allocator converts
  SlotAllocator(const SlotAllocator<T, Other>& other) noexcept : pool(other.pool), slot(other.slot) {}

  Block* allocate(std::size_t) noexcept {
    static_assert(sizeof(Block) <= MessagePool<T>::kControlBytes &&
                  alignof(Block) <= alignof(std::max_align_t));
    return static_cast<Block*>(pool->control(slot));
  }
  void deallocate(Block*, std::size_t) noexcept { pool->release(slot); }
  template <class Other>
  bool operator==(const SlotAllocator<T, Other>& other) const noexcept {
    return pool == other.pool && slot == other.slot;
  }

  MessagePool<T>* pool;
  std::uint32_t slot;
};

}  // namespace takt
