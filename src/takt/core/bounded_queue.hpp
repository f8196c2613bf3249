// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "takt/core/slot_ring.hpp"
#include "takt/core/slot_set.hpp"

namespace takt {

enum class WhenFull : std::uint8_t { drop_oldest, refuse };
enum class PushResult : std::uint8_t { ok, dropped_oldest, refused };

/// A bounded queue for any number of producers and consumers in which nobody can stall anybody: an item is
/// written into a slot of its own first and takes its place in the order with one compare-and-swap
/// (SlotRing). Storage is allocated at construction. drop_oldest keeps the last `depth` items (KeepLast);
/// refuse keeps all until `depth` is reached (bounded KeepAll). T must be default-constructible and
/// nothrow-movable; a taken item leaves a moved-from T in its slot, a dropped one T{}. With
/// up to 64 threads at work at once a push is refused only when the queue is full.
template <class T>
class BoundedQueue {
  static_assert(std::is_nothrow_move_assignable_v<T> && std::is_nothrow_move_constructible_v<T>);

 public:
  BoundedQueue(std::uint32_t depth, WhenFull when_full)
      : ring_(depth), slots_(depth + kInFlight), items_(new T[depth + kInFlight]), when_full_(when_full) {}

  /// Real-time: lock-free; allocates nothing. The dropped item (if any) is destroyed in this thread.
  PushResult push(T&& item) noexcept {
    auto slot = slots_.claim();
    bool dropped = false;
    if (!slot) {  // more threads are at work than there is spare room: behave as if full
      if (when_full_ == WhenFull::refuse || !(slot = ring_.take())) return PushResult::refused;
      dropped = true;  // its slot is this thread's now, and the item in it is overwritten
    }
    items_[*slot] = std::move(item);
    const auto committed = when_full_ == WhenFull::refuse ? ring_.try_append(*slot) : ring_.append(*slot);
    if (!committed.appended) {
      item = std::move(items_[*slot]);
      discard(*slot);
      return PushResult::refused;
    }
    if (committed.displaced) {
      discard(*committed.displaced);
      dropped = true;
    }
    return dropped ? PushResult::dropped_oldest : PushResult::ok;
  }

  /// Takes the oldest item. Real-time: lock-free; allocates nothing.
  std::optional<T> pop() noexcept {
    const auto slot = ring_.take();
    if (!slot) return std::nullopt;
    std::optional<T> item{std::move(items_[*slot])};
    slots_.release(*slot);
    return item;
  }

  /// Exact when nobody else is at work. Real-time: wait-free.
  bool empty() const noexcept { return ring_.empty(); }
  std::uint32_t size() const noexcept { return ring_.size(); }
  std::uint32_t depth() const noexcept { return ring_.depth(); }
  /// How many have been pushed, and how many have left: popped or dropped. As size(); neither ever goes back.
  std::uint64_t pushed() const noexcept { return ring_.appended(); }
  std::uint64_t left() const noexcept { return ring_.left(); }

 private:
  static constexpr std::uint32_t kInFlight =
      64;  // each thread at work holds one slot beyond those that are queued

  void discard(std::uint32_t slot) noexcept {
    items_[slot] = T{};
    slots_.release(slot);
  }

  SlotRing ring_;
  SlotSet slots_;
  std::unique_ptr<T[]> items_;
  WhenFull when_full_;
};

}  // namespace takt
