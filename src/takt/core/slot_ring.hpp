// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace takt {

/// The order of a bounded queue: a ring of slot numbers. Commit after fill: a producer appends a slot that it
/// has already filled, with one compare-and-swap, so that a producer preempted anywhere blocks neither
/// consumers nor other producers (each helps the other's unfinished head or tail along). Each entry holds
/// {sequence, slot or empty} in 64 bits; slot numbers are below 2^18 - 1.
class SlotRing {
 public:
  struct Appended {
    bool appended = false;
    std::optional<std::uint32_t>
        displaced;  ///< the oldest slot, pushed out because the ring was full; the caller owns it now
  };

  explicit SlotRing(std::uint32_t depth);  ///< depth in 1 .. 2^16; allocates

  /// Appends, displacing the oldest when full. Real-time: lock-free.
  Appended append(std::uint32_t slot) noexcept { return {true, as_optional(commit(slot, true))}; }
  /// Appends unless full. Real-time: lock-free.
  Appended try_append(std::uint32_t slot) noexcept { return {commit(slot, false) == kNone, std::nullopt}; }
  /// Takes the oldest. Real-time: lock-free.
  std::optional<std::uint32_t> take() noexcept { return as_optional(take_slot()); }

  bool empty() const noexcept { return size() == 0; }
  std::uint32_t size() const noexcept;
  std::uint32_t depth() const noexcept { return depth_; }
  /// How many slots have been appended since the beginning, and how many have left it: taken or displaced.
  /// Exact when nobody else is at work; neither ever goes back. Real-time: wait-free.
  std::uint64_t appended() const noexcept { return head_.load() - depth_; }
  std::uint64_t left() const noexcept;

 private:
  friend struct SlotRingPeer;  // of the tests: stops a thread in the middle
  // What is not inline answers with one number: an optional would go through memory (slot_set.hpp).
  static constexpr std::uint32_t kNone = (1U << 18U) - 1;
  static constexpr std::uint32_t kFull = kNone + 1;
  static std::optional<std::uint32_t> as_optional(std::uint32_t slot) noexcept {
    return slot == kNone ? std::nullopt : std::optional(slot);
  }
  /// The slot that it displaced, or kNone; kFull when it would have had to and may not.
  std::uint32_t commit(std::uint32_t slot, bool displace) noexcept;
  /// kNone when there is none.
  std::uint32_t take_slot() noexcept;

  std::uint32_t depth_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> entries_;
  alignas(64) std::atomic<std::uint64_t> head_{0};  // sequence of the next append
  alignas(64) std::atomic<std::uint64_t> tail_{0};  // sequence of the oldest entry that may be unread
};

}  // namespace takt
