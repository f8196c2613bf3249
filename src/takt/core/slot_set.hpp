// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace takt {

/// A fixed set of slot numbers 0..size-1, each free or claimed: one bit a slot. Storage is allocated at
/// construction only. A thread that is preempted between claim and release holds just its own slot and stalls
/// nobody.
class SlotSet {
 public:
  explicit SlotSet(std::uint32_t size);  ///< all free; size >= 1

  /// Real-time: lock-free, allocates nothing. Empty when every slot is claimed.
  std::optional<std::uint32_t> claim() noexcept;
  /// Real-time: wait-free. Releasing a free slot is a bug.
  void release(std::uint32_t slot) noexcept;

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t claimed() const noexcept;

 private:
  std::uint32_t size_;
  std::uint32_t words_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> free_;
  std::atomic<std::uint32_t> hint_{0};  // the word in which a slot was last found
};

}  // namespace takt
