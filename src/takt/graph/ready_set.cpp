// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/ready_set.hpp"

#include <algorithm>

#include "takt/core/futex.hpp"

namespace takt {

bool ReadySlot::enter() noexcept {
  if ((use_.fetch_add(1) & kRemoved) == 0) return true;
  leave();
  return false;
}

bool ReadySlot::leave() noexcept {
  const auto before = use_.fetch_sub(1);
  if (before == (kRemoved | 1U)) futex::wake_all(use_);
  return (before & kRemoved) != 0;
}

void ReadySlot::wait_until_empty() const noexcept {
  for (auto use = use_.load(); use != kRemoved; use = use_.load()) futex::wait(use_, use, kNever);
}

void ReadySlot::fill(std::shared_ptr<Executable> callback, GroupState* its_group) {
  executable = std::move(callback);
  group = its_group;
  use_.store(0);
}

ReadySet::~ReadySet() {
  for (auto& chunk : chunks_) delete chunk.load();
}

ReadySlot& ReadySet::slot(std::uint32_t number) {
  auto& chunk = chunks_[number / kChunk];
  if (chunk.load() == nullptr) {
    auto* fresh = new Chunk;
    for (std::uint32_t i = 0; i < kChunk; ++i) {
      fresh->slots[i].core = core_;
      fresh->slots[i].number = number / kChunk * kChunk + i;
    }
    chunk.store(fresh, std::memory_order_release);
    chunk_count_.store(number / kChunk + 1, std::memory_order_release);
  }
  return chunk.load()->slots[number % kChunk];
}

void ReadySet::mark_timed(ReadySlot& slot) noexcept {
  chunks_[slot.number / kChunk].load()->timed.fetch_or(bit(slot));
}

void ReadySet::mark_hearing(ReadySlot& slot) noexcept {
  chunks_[slot.number / kChunk].load()->hearing.fetch_or(bit(slot));
}

void ReadySet::set(ReadySlot& slot, SteadyTime since) noexcept {
  auto& bits = word(slot);
  if ((bits.load() & bit(slot)) != 0) return;  // invariant 1
  const auto not_before = slot.not_before_ns.load(std::memory_order_relaxed);
  slot.ready_since_ns.store(std::max<std::int64_t>(since.time_since_epoch().count(), not_before),
                            std::memory_order_relaxed);  // published by the bit
  bits.fetch_or(bit(slot));
}

bool ReadySet::claim(ReadySlot& slot) noexcept { return (word(slot).fetch_and(~bit(slot)) & bit(slot)) != 0; }

SteadyTime ReadySet::release_due(SteadyTime now) noexcept {
  const auto now_ns = now.time_since_epoch().count();
  std::int64_t earliest = INT64_MAX;
  for_each_timed([&](ReadySlot& slot) {
    auto due = slot.due_ns.load();
    if (due > now_ns) {
      earliest = std::min(earliest, due);
    } else if (slot.due_ns.compare_exchange_strong(due, INT64_MAX)) {  // invariant 3
      set(slot, SteadyTime{Duration{due}});
    }
  });
  return SteadyTime{Duration{earliest}};
}

SteadyTime ReadySet::earliest_due() const noexcept {
  std::int64_t earliest = INT64_MAX;
  for_each_timed([&](ReadySlot& slot) { earliest = std::min(earliest, slot.due_ns.load()); });
  return SteadyTime{Duration{earliest}};
}

SteadyTime ReadySet::earliest_due_after(SteadyTime covered) const noexcept {
  const auto covered_ns = covered.time_since_epoch().count();
  std::int64_t earliest = INT64_MAX;
  for_each_timed([&](ReadySlot& slot) {
    auto due = slot.due_ns.load();
    if (due <= covered_ns) {
      const auto period = slot.period_ns.load(std::memory_order_relaxed);
      due = period > 0 ? covered_ns + period - (covered_ns - due) % period : INT64_MAX;
    }
    earliest = std::min(earliest, due);
  });
  return SteadyTime{Duration{earliest}};
}

ReadySet::Mask ReadySet::snapshot() const noexcept {
  Mask mask{};
  const auto n = chunks();
  for (std::uint32_t c = 0; c < n; ++c) mask[c] = chunks_[c].load(std::memory_order_acquire)->ready.load();
  return mask;
}

}  // namespace takt
