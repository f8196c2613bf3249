// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "takt/core/slot_set.hpp"
#include "takt/graph/message_info.hpp"

namespace takt {

template <class T>
struct RetainedMessage {
  std::shared_ptr<const T> message;
  MessageInfo info;
  std::uint64_t matches = 0;  ///< version of the list of subscriptions that it was sent to
};

/// The last `depth` messages of a transient-local publisher, kept by publishing threads and copied by one
/// that joins a subscription.
///
/// Invariants
///  1. entries_[n % depth] holds {n, slot} of the newest message n that was kept there: it changes by
///     compare-and-swap to a higher n only. A publisher that comes too late keeps nothing: its message is
///     older than the last `depth`.
///  2. holds_[slot] counts the entry and the readers of a slot. Who takes the last one empties the slot and
///     frees it.
///  3. A copy is no instant's view: while it is made, older messages that were copied already may be followed
///     by ones that are replaced before they are. What was replaced is `depth` older than a message that the
///     copy has seen, so leaving out all that is that old leaves no gap.
template <class T>
class RetainedMessages {
 public:
  explicit RetainedMessages(std::uint32_t depth)
      : depth_(depth),
        entries_(new std::atomic<std::uint64_t>[depth]),
        slots_(depth + kInFlight),
        holds_(new std::atomic<std::uint32_t>[depth + kInFlight]),
        messages_(new RetainedMessage<T>[depth + kInFlight]) {
    for (std::uint32_t i = 0; i < depth; ++i) entries_[i].store(0);
    for (std::uint32_t i = 0; i < depth + kInFlight; ++i) holds_[i].store(0);
  }

  /// Publishers. Real-time: lock-free, allocates nothing; the oldest is let go of here.
  void keep(RetainedMessage<T>&& message) noexcept {
    const auto slot = slots_.claim();
    if (!slot)
      return;  // kInFlight threads publish with this publisher at this moment: as if this one had been the
               // oldest
    const auto sequence = message.info.sequence;
    messages_[*slot] = std::move(message);
    holds_[*slot].store(1);
    auto& entry = entries_[sequence % depth_];
    auto old = entry.load();
    do {
      if (sequence_of(old) > sequence) return drop(*slot);
    } while (!entry.compare_exchange_weak(old, sequence << kSlotBits | *slot));
    if (old != 0) drop(slot_of(old));
  }

  /// Copies of the last `depth` messages, oldest first, but of those only that were sent to an older list of
  /// subscriptions than `version`. Every publish that used such a list has ended. May allocate.
  std::vector<RetainedMessage<T>> copy_before(std::uint64_t version) {
    auto out = copy();
    std::uint64_t newest = 0;
    for (const auto& one : out) newest = std::max(newest, one.info.sequence);
    std::erase_if(out, [&](const auto& one) {
      return one.matches >= version || one.info.sequence + depth_ <= newest;  // invariant 3
    });
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return a.info.sequence < b.info.sequence; });
    return out;
  }

 private:
  static constexpr std::uint32_t kInFlight = 64;
  static constexpr unsigned kSlotBits = 18;
  static std::uint64_t sequence_of(std::uint64_t entry) noexcept { return entry >> kSlotBits; }
  static std::uint32_t slot_of(std::uint64_t entry) noexcept {
    return static_cast<std::uint32_t>(entry & ((1U << kSlotBits) - 1));
  }

  /// What is kept, entry by entry while publishers go on.
  std::vector<RetainedMessage<T>> copy() {
    std::vector<RetainedMessage<T>> out;
    for (std::uint32_t i = 0; i < depth_; ++i) {
      for (auto seen = entries_[i].load(); seen != 0; seen = entries_[i].load()) {
        if (!hold(slot_of(seen))) continue;
        const bool still = entries_[i].load() == seen;
        if (still) out.push_back(messages_[slot_of(seen)]);
        drop(slot_of(seen));
        if (still) break;
      }
    }
    return out;
  }
  bool hold(std::uint32_t slot) noexcept {
    auto holds = holds_[slot].load();
    while (holds != 0 && !holds_[slot].compare_exchange_weak(holds, holds + 1)) {
    }
    return holds != 0;
  }
  void drop(std::uint32_t slot) noexcept {
    if (holds_[slot].fetch_sub(1) != 1) return;
    messages_[slot] = {};
    slots_.release(slot);
  }

  const std::uint32_t depth_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> entries_;
  SlotSet slots_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> holds_;
  std::unique_ptr<RetainedMessage<T>[]> messages_;
};

}  // namespace takt
