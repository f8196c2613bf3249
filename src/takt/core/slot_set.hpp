// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "takt/core/error.hpp"

namespace takt {

/// A fixed set of slot numbers 0..size-1, each free or claimed: a flag a slot, so that giving one back is a
/// plain store. Storage is allocated at construction only. A thread that is preempted between claim and
/// release holds just its own slot and stalls nobody.
class SlotSet {
 public:
  explicit SlotSet(std::uint32_t size);  ///< all free; size >= 1

  /// Looks first at the slot that it gave last: its memory is warm. Empty when every slot is claimed.
  /// Real-time: wait-free (two looks at each slot at most), allocates nothing.
  std::optional<std::uint32_t> claim() noexcept;
  /// Only by who claimed it. Real-time: wait-free. Releasing a free slot is a bug.
  void release(std::uint32_t slot) noexcept;

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t claimed() const noexcept;

 private:
  std::uint32_t size_;
  std::unique_ptr<std::atomic<bool>[]> claimed_;
  std::atomic<std::uint32_t> hint_{0};  // the slot given last
};

// Here, so that the result stays in registers: an optional of 32 bits that a function returns is written to
// memory in two parts and read as one, for which the processor waits until both are in the cache.
inline std::optional<std::uint32_t> SlotSet::claim() noexcept {
  const auto first = hint_.load(std::memory_order_relaxed);
  auto slot = first;
  // Two rounds: one alone can miss a slot that is freed behind it while another is claimed before it.
  for (std::uint64_t looks = 2 * std::uint64_t{size_}; looks > 0; --looks) {
    auto& claimed = claimed_[slot];
    if (!claimed.load(std::memory_order_relaxed) && !claimed.exchange(true, std::memory_order_acquire)) {
      if (slot != first) hint_.store(slot, std::memory_order_relaxed);
      return slot;
    }
    slot = slot + 1 == size_ ? 0 : slot + 1;
  }
  return std::nullopt;
}

inline void SlotSet::release(std::uint32_t slot) noexcept {
  TAKT_CHECK(slot < size_ && claimed_[slot].load(std::memory_order_relaxed));
  claimed_[slot].store(false, std::memory_order_release);
}

}  // namespace takt
