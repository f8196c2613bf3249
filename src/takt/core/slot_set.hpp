// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

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

}  // namespace takt
