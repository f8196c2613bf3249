// SPDX-License-Identifier: Apache-2.0
#include "takt/core/slot_set.hpp"

#include "takt/core/error.hpp"

namespace takt {

SlotSet::SlotSet(std::uint32_t size) : size_(size), claimed_(new std::atomic<bool>[size]) {
  TAKT_CHECK(size >= 1);
  for (std::uint32_t i = 0; i < size; ++i) claimed_[i].store(false, std::memory_order_relaxed);
}

std::uint32_t SlotSet::claimed() const noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < size_; ++i) count += claimed_[i].load(std::memory_order_relaxed) ? 1U : 0U;
  return count;
}

}  // namespace takt
