// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "takt/core/error.hpp"

namespace takt {

/// A ring of trivially copyable records with one writer and one reader at a time. Storage is allocated and
/// touched at construction; capacity is a power of two.
template <class T>
class RecordRing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit RecordRing(std::uint32_t capacity);

  /// Writer thread. Real-time: wait-free. False when full (the caller counts it).
  bool try_push(const T& record) noexcept;
  /// The same without a copy: the next record, to be written and then given to push(); nullptr when full.
  T* next() noexcept;
  void push() noexcept;
  /// Writer thread, after a push: whether the ring is at least half full. Looks only once in a quarter of the
  /// capacity, because the reader's place lies in the reader's cache; says false in between. Wait-free.
  bool grows_full() noexcept;
  /// Writer thread: fetches what the next push needs into the cache, and what the fourth after it needs: the
  /// reader's core has those lines, and the time until the next push can be too short to get one back.
  /// Wait-free.
  void prefetch() const noexcept {
    const auto head = head_.load(std::memory_order_relaxed);
    __builtin_prefetch(&places_[head & mask_], 1);
    __builtin_prefetch(&places_[(head + 4) & mask_], 1);
  }
  /// Reader. Wait-free. False when empty.
  bool try_pop(T& record) noexcept;
  /// Reader: looks at the oldest without taking it; nullptr when empty.
  const T* front() const noexcept;

  std::uint32_t size() const noexcept;
  std::uint32_t capacity() const noexcept { return mask_ + 1; }

 private:
  struct alignas(64) Place {  // one cache line for a record of 64 bytes, never two
    T record;
  };

  // The writer needs one cache line besides the record's own.
  alignas(64) std::uint32_t mask_;
  std::atomic<std::uint32_t> head_{0};  // next write
  std::uint32_t seen_tail_ = 0;         // writer: tail_ when it last looked
  std::unique_ptr<Place[]> places_;
  alignas(64) std::atomic<std::uint32_t> tail_{0};  // next read
};

template <class T>
RecordRing<T>::RecordRing(std::uint32_t capacity) : mask_(capacity - 1), places_(new Place[capacity]()) {
  TAKT_CHECK(std::has_single_bit(capacity));
}

template <class T>
T* RecordRing<T>::next() noexcept {
  const auto head = head_.load(std::memory_order_relaxed);
  if (head - seen_tail_ > mask_) {
    seen_tail_ = tail_.load(std::memory_order_acquire);
    if (head - seen_tail_ > mask_) return nullptr;
  }
  return &places_[head & mask_].record;
}

template <class T>
void RecordRing<T>::push() noexcept {
  head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

template <class T>
bool RecordRing<T>::try_push(const T& record) noexcept {
  T* place = next();
  if (place == nullptr) return false;
  *place = record;
  push();
  return true;
}

template <class T>
bool RecordRing<T>::grows_full() noexcept {
  const auto head = head_.load(std::memory_order_relaxed);
  if ((head & (mask_ >> 2U)) != 0) return false;
  seen_tail_ = tail_.load(std::memory_order_acquire);
  return head - seen_tail_ > mask_ / 2;
}

template <class T>
const T* RecordRing<T>::front() const noexcept {
  const auto tail = tail_.load(std::memory_order_relaxed);
  return head_.load(std::memory_order_acquire) == tail ? nullptr : &places_[tail & mask_].record;
}

template <class T>
bool RecordRing<T>::try_pop(T& record) noexcept {
  const T* oldest = front();
  if (oldest == nullptr) return false;
  record = *oldest;
  tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return true;
}

template <class T>
std::uint32_t RecordRing<T>::size() const noexcept {
  return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire);
}

}  // namespace takt
