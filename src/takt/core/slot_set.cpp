// SPDX-License-Identifier: Apache-2.0
#include "takt/core/slot_set.hpp"

#include <algorithm>
#include <bit>

#include "takt/core/error.hpp"

namespace takt {

SlotSet::SlotSet(std::uint32_t size)
    : size_(size), words_((size + 63) / 64), free_(new std::atomic<std::uint64_t>[words_]) {
  TAKT_CHECK(size >= 1);
  for (std::uint32_t w = 0; w < words_; ++w) {
    const auto left = size - w * 64;
    free_[w].store(left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1,
                   std::memory_order_relaxed);
  }
}

std::optional<std::uint32_t> SlotSet::claim() noexcept {
  const auto start = hint_.load(std::memory_order_relaxed);
  // Two rounds: one alone can miss a slot that is freed behind it while another is claimed before it.
  auto w = start;
  for (std::uint32_t i = 0; i < 2 * words_; ++i, w = w + 1 == words_ ? 0 : w + 1) {
    auto seen = free_[w].load(std::memory_order_relaxed);
    while (seen != 0) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(seen));
      const auto mask = std::uint64_t{1} << bit;
      seen = free_[w].fetch_and(~mask, std::memory_order_acquire);
      if ((seen & mask) == 0) continue;
      if (i != 0) hint_.store(w, std::memory_order_relaxed);
      return w * 64 + bit;
    }
  }
  return std::nullopt;
}

void SlotSet::release(std::uint32_t slot) noexcept {
  TAKT_CHECK(slot < size_);
  const auto mask = std::uint64_t{1} << (slot % 64);
  const auto before = free_[slot / 64].fetch_or(mask, std::memory_order_release);
  TAKT_CHECK((before & mask) == 0);
}

std::uint32_t SlotSet::claimed() const noexcept {
  std::uint32_t free = 0;
  for (std::uint32_t w = 0; w < words_; ++w) {
    free += static_cast<std::uint32_t>(std::popcount(free_[w].load(std::memory_order_relaxed)));
  }
  return size_ - free;
}

}  // namespace takt
