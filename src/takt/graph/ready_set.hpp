// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "takt/core/time.hpp"
#include "takt/graph/executable.hpp"
#include "takt/graph/group_state.hpp"

namespace takt {

class ExecutorCore;

/// Where one callback stands in an executor. Its memory belongs to the executor core and is never freed
/// before the context, so that a late notify() is at worst a spurious readiness.
class ReadySlot {
 public:
  ExecutorCore* core = nullptr;
  std::uint32_t number = 0;

  // Written at attach; read by workers that compare slots without entering them.
  std::atomic<std::int32_t> priority{0};
  std::atomic<std::uint64_t> order{0};     ///< registration
  std::atomic<std::uint32_t> group_id{0};  ///< of its mutually exclusive group; 0: reentrant

  std::atomic<std::int64_t> ready_since_ns{0};
  std::atomic<std::int64_t> not_before_ns{
      0};  ///< just after its last dispatch: who was ready then comes first
  std::atomic<std::int64_t> due_ns{INT64_MAX};
  std::atomic<std::int64_t> period_ns{0};  ///< of a timer; 0: none

  /// Counts the caller in; false when the callback has been removed. Real-time: wait-free.
  bool enter() noexcept;
  /// Counts the caller out; the last one out of a removed slot wakes who waits for that. True when the
  /// callback has been removed meanwhile. Real-time: wait-free.
  bool leave() noexcept;
  void mark_removed() noexcept { use_.fetch_or(kRemoved); }
  bool removed() const noexcept { return (use_.load() & kRemoved) != 0; }
  bool removed_and_empty() const noexcept { return use_.load() == kRemoved; }
  /// Blocks until no activation is inside a removed slot.
  void wait_until_empty() const noexcept;
  /// Puts a callback into a free slot. Under the graph mutex.
  void fill(std::shared_ptr<Executable> callback, GroupState* its_group);

  // Valid between enter() and leave(); changed under the graph mutex while the slot is free.
  std::shared_ptr<Executable> executable;
  GroupState* group = nullptr;  ///< null: reentrant

 private:
  static constexpr std::uint32_t kRemoved = 1U << 31U;
  std::atomic<std::uint32_t> use_{kRemoved};
};

/// Which callbacks are ready: one bit each. Set with fetch_or by whoever has news (wait-free), claimed with
/// fetch_and by one worker. Nothing is queued, so a producer preempted halfway stalls nobody. Invariants:
/// 1. A stamp is written before its bit is set, and only while the bit is clear: a callback keeps its place.
/// 2. A bit is claimed by exactly one worker.
/// 3. due_ns is swapped to "never" by exactly one worker, which then sets the bit.
class ReadySet {
 public:
  static constexpr std::uint32_t kChunk = 64;
  static constexpr std::uint32_t kChunks = 64;
  static constexpr std::uint32_t kCapacity = kChunk * kChunks;
  using Mask = std::array<std::uint64_t, kChunks>;

  explicit ReadySet(ExecutorCore* core) : core_(core) {}
  ~ReadySet();
  ReadySet(const ReadySet&) = delete;
  ReadySet& operator=(const ReadySet&) = delete;

  /// Allocates the chunk of slot `number` if it is the first in it. Under the graph mutex.
  ReadySlot& slot(std::uint32_t number);
  /// From now on release_due() looks at this slot. Under the graph mutex.
  void mark_timed(ReadySlot& slot) noexcept;
  /// From now on for_each_hearing() visits this slot. Under the graph mutex.
  void mark_hearing(ReadySlot& slot) noexcept;
  std::uint32_t chunks() const noexcept { return chunk_count_.load(std::memory_order_acquire); }

  /// Ready since `since`, but not since before its own last dispatch: each ready callback runs at most once
  /// before every other ready one of its priority has run. Real-time: wait-free.
  void set(ReadySlot& slot, SteadyTime since) noexcept;
  /// Whether the caller got it. Real-time: wait-free.
  bool claim(ReadySlot& slot) noexcept;

  /// Sets the bit of every slot that is due at `now`. Returns the earliest due time that is left. Real-time:
  /// wait-free.
  SteadyTime release_due(SteadyTime now) noexcept;
  SteadyTime earliest_due() const noexcept;
  /// The earliest slot after `covered`: of each timer its due time or, if that is covered, the one a period
  /// later.
  SteadyTime earliest_due_after(SteadyTime covered) const noexcept;

  /// Calls visit(slot) for each ready slot (within `mask` if given). Real-time.
  template <class Visit>
  void for_each_ready(const Mask* mask, Visit visit) const {
    const auto n = chunks();
    for (std::uint32_t c = 0; c < n; ++c) {
      Chunk* chunk = chunks_[c].load(std::memory_order_acquire);
      auto bits = chunk->ready.load();
      if (mask != nullptr) bits &= (*mask)[c];
      for (; bits != 0; bits &= bits - 1)
        visit(chunk->slots[static_cast<std::size_t>(std::countr_zero(bits))]);
    }
  }
  /// Calls visit(slot) for each slot that has ever heard other processes. Real-time: wait-free.
  template <class Visit>
  void for_each_hearing(Visit visit) const {
    for_each_of(&Chunk::hearing, visit);
  }
  /// A copy of the bits.
  Mask snapshot() const noexcept;
  static void clear(Mask& mask, const ReadySlot& slot) noexcept { mask[slot.number / kChunk] &= ~bit(slot); }
  static void add(Mask& mask, const ReadySlot& slot) noexcept { mask[slot.number / kChunk] |= bit(slot); }
  static bool contains(const Mask& mask, const ReadySlot& slot) noexcept {
    return (mask[slot.number / kChunk] & bit(slot)) != 0;
  }

 private:
  struct Chunk {
    alignas(64) std::atomic<std::uint64_t> ready{0};
    std::atomic<std::uint64_t> timed{0};    // slots that have ever held a timer
    std::atomic<std::uint64_t> hearing{0};  // slots that have ever held one that hears other processes
    std::array<ReadySlot, kChunk> slots;
  };
  static std::uint64_t bit(const ReadySlot& slot) noexcept {
    return std::uint64_t{1} << (slot.number % kChunk);
  }
  template <class Visit>
  void for_each_timed(Visit visit) const {
    for_each_of(&Chunk::timed, visit);
  }
  template <class Visit>
  void for_each_of(std::atomic<std::uint64_t> Chunk::*which, Visit& visit) const {
    const auto n = chunks();
    for (std::uint32_t c = 0; c < n; ++c) {
      Chunk* chunk = chunks_[c].load(std::memory_order_acquire);
      for (auto bits = (chunk->*which).load(std::memory_order_relaxed); bits != 0; bits &= bits - 1) {
        visit(chunk->slots[static_cast<std::size_t>(std::countr_zero(bits))]);
      }
    }
  }
  std::atomic<std::uint64_t>& word(const ReadySlot& slot) const noexcept {
    return chunks_[slot.number / kChunk].load(std::memory_order_acquire)->ready;
  }

  ExecutorCore* core_;
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
  std::atomic<std::uint32_t> chunk_count_{0};
};

}  // namespace takt
