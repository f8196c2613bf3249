// SPDX-License-Identifier: Apache-2.0
#include "takt/core/slot_ring.hpp"

#include <algorithm>

#include "takt/core/error.hpp"

// Invariants (s = a sequence, depth = d):
//  1. The entry at s % d holds, in this order: {s - d, slot or empty}, {s, slot}, {s, empty}, {s + d, slot}
//  ... It changes
//     only by compare-and-swap of the whole entry, so it never goes back and no state occurs twice.
//  2. head <= s implies that no sequence above s is committed: an append commits only sequence `head`, and
//  head moves from
//     s to s + 1 only when s is committed (anyone may move it).
//  3. tail moves from s to s + 1 only when s was taken or displaced (anyone may move it), and never passes
//  head.
//  4. Entries are emptied in order (only the entry at tail is taken). So the ring is full exactly when the
//  entry that the
//     next append would overwrite still holds a slot.
//  5. A slot belongs to exactly one: the thread whose compare-and-swap put it in (until then), the ring, the
//  thread
//     whose compare-and-swap took it out.

namespace takt {
namespace {

// An entry: the low 46 bits of the sequence, then 18 bits of slot. The sequence wraps after years at a
// million appends a second; it is only compared with the two values that an entry can have.
constexpr unsigned kSlotBits = 18;
constexpr std::uint64_t kEmpty = (std::uint64_t{1} << kSlotBits) - 1;

constexpr std::uint64_t pack(std::uint64_t sequence, std::uint64_t slot) {
  return (sequence << kSlotBits) | slot;
}
constexpr std::uint64_t slot_of(std::uint64_t entry) { return entry & kEmpty; }
constexpr bool is_of(std::uint64_t entry, std::uint64_t sequence) {
  return (entry & ~kEmpty) == sequence << kSlotBits;
}

/// sequence % depth. A division of 64 bits costs several times one of 32.
std::size_t place(std::uint64_t sequence, std::uint32_t depth) noexcept {
  if (sequence >> 32U == 0) return static_cast<std::uint32_t>(sequence) % depth;
  return sequence % depth;
}

/// Moves `counter` from `from` to `from + 1` unless somebody did.
void help(std::atomic<std::uint64_t>& counter, std::uint64_t from) noexcept {
  counter.compare_exchange_strong(from, from + 1);
}

}  // namespace

SlotRing::SlotRing(std::uint32_t depth)
    : depth_(depth), entries_(new std::atomic<std::uint64_t>[depth]), head_(depth), tail_(depth) {
  static_assert(kNone == kEmpty);
  TAKT_CHECK(depth >= 1 && depth <= (1U << 16));
  for (std::uint32_t i = 0; i < depth; ++i) entries_[i].store(pack(i, kEmpty));
}

std::uint32_t SlotRing::commit(std::uint32_t slot, bool displace) noexcept {
  TAKT_CHECK(slot < kEmpty);
  for (;;) {
    const auto head = head_.load();
    auto& entry = entries_[place(head, depth_)];
    auto old = entry.load();
    if (is_of(old, head)) {
      help(head_, head);
      continue;
    }
    if (!is_of(old, head - depth_)) continue;  // head has moved on meanwhile
    const bool full = slot_of(old) != kEmpty;
    if (full && !displace) return kFull;
    if (!entry.compare_exchange_strong(old, pack(head, slot))) continue;
    help(head_, head);
    if (full) help(tail_, head - depth_);
    return static_cast<std::uint32_t>(slot_of(old));  // kNone unless it was full
  }
}

std::uint32_t SlotRing::take_slot() noexcept {
  for (;;) {
    auto tail = tail_.load();
    const auto head = head_.load();
    if (head - tail > depth_) {  // lapped: the oldest that can still be there is head - depth
      tail_.compare_exchange_strong(tail, head - depth_);
      continue;
    }
    auto& entry = entries_[place(tail, depth_)];
    auto old = entry.load();
    if (is_of(old, tail - depth_)) return kNone;        // not yet committed, hence nothing after it either
    if (!is_of(old, tail) || slot_of(old) == kEmpty) {  // displaced or taken by another
      if (head == tail) help(head_, tail);
      help(tail_, tail);
      continue;
    }
    // The appender may have been stopped before it could: tail must not pass head.
    if (head == tail) help(head_, tail);
    if (!entry.compare_exchange_strong(old, pack(tail, kEmpty))) continue;
    help(tail_, tail);
    return static_cast<std::uint32_t>(slot_of(old));
  }
}

std::uint64_t SlotRing::left() const noexcept {
  const auto tail = tail_.load();
  // The tail may lag behind what has been displaced, by less than one round.
  const auto lapped = head_.load() - depth_;
  return std::max(tail, lapped) - depth_;
}

std::uint32_t SlotRing::size() const noexcept {
  const auto tail = tail_.load();
  const auto head = head_.load();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(head - tail, depth_));
}

}  // namespace takt
