// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "takt/core/slot_ring.hpp"
#include "takt/core/slot_set.hpp"

namespace takt {

enum class WhenFull : std::uint8_t { drop_oldest, refuse };
enum class PushResult : std::uint8_t { ok, dropped_oldest, refused };

/// A bounded queue for any number of producers and consumers in which nobody can stall anybody: an item is written into a
/// slot of its own first and takes its place in the order with one compare-and-swap (SlotRing). Storage is allocated at construction.
/// drop_oldest keeps the last `depth` items (KeepLast); refuse keeps all until `depth` is reached (bounded KeepAll).
/// T must be default-constructible and nothrow-movable; a taken or dropped item leaves a moved-from or reset T{} in its slot.
template <class T>
class BoundedQueue {
 public:
  BoundedQueue(std::uint32_t depth, WhenFull when_full)
      : ring_(depth), slots_(depth + kInFlight), items_(new T[depth + kInFlight]), when_full_(when_full) {}

  /// Real-time: lock-free; allocates nothing. The dropped item (if any) is destroyed in this thread.
  PushResult push(T&& item) noexcept {
    auto slot = slots_.claim();
    bool dropped = false;
    if (!slot) {  // more producers are in flight than there is spare room: behave as if full
      if (when_full_ == WhenFull::refuse || !drop_one()) return PushResult::refused;
      dropped = true;
      if (!(slot = slots_.claim())) return PushResult::refused;
    }
    items_[*slot] = std::move(item);
    const auto committed = when_full_ == WhenFull::refuse ? ring_.try_append(*slot) : ring_.append(*slot);
    if (!committed.appended) {
      item = std::move(items_[*slot]);
      slots_.release(*slot);
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
    items_[*slot] = T{};
    slots_.release(*slot);
    return item;
  }

  /// Exact when nobody else is at work. Real-time: wait-free.
  bool empty() const noexcept { return ring_.empty(); }
  std::uint32_t size() const noexcept { return ring_.size(); }
  std::uint32_t depth() const noexcept { return ring_.depth(); }

 private:
  static constexpr std::uint32_t kInFlight = 64;  // items being written or read beyond those that are queued

  bool drop_one() noexcept {
    const auto slot = ring_.take();
    if (slot) discard(*slot);
    return slot.has_value();
  }
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
