// SPDX-License-Identifier: Apache-2.0
#include "takt/core/slot_set.hpp"

#include "takt/core/error.hpp"

namespace takt {

SlotSet::SlotSet(std::uint32_t size) : size_(size), claimed_(new std::atomic<bool>[size]) {
  TAKT_CHECK(size >= 1);
  for (std::uint32_t i = 0; i < size; ++i) claimed_[i].store(false, std::memory_order_relaxed);
}

std::optional<std::uint32_t> SlotSet::claim() noexcept {
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

void SlotSet::release(std::uint32_t slot) noexcept {
  TAKT_CHECK(slot < size_ && claimed_[slot].load(std::memory_order_relaxed));
  claimed_[slot].store(false, std::memory_order_release);
}

std::uint32_t SlotSet::claimed() const noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < size_; ++i) count += claimed_[i].load(std::memory_order_relaxed) ? 1U : 0U;
  return count;
}

}  // namespace takt
