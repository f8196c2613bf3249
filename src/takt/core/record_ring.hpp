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
  /// Reader. Wait-free. False when empty.
  bool try_pop(T& record) noexcept;
  /// Reader: looks at the oldest without taking it; nullptr when empty.
  const T* front() const noexcept;

  std::uint32_t size() const noexcept;
  std::uint32_t capacity() const noexcept { return mask_ + 1; }

 private:
  std::uint32_t mask_;
  std::unique_ptr<T[]> records_;
  alignas(64) std::atomic<std::uint32_t> head_{0};  // next write
  alignas(64) std::atomic<std::uint32_t> tail_{0};  // next read
};

template <class T>
RecordRing<T>::RecordRing(std::uint32_t capacity) : mask_(capacity - 1), records_(new T[capacity]()) {
  TAKT_CHECK(std::has_single_bit(capacity));
}

template <class T>
bool RecordRing<T>::try_push(const T& record) noexcept {
  const auto head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) > mask_) return false;
  records_[head & mask_] = record;
  head_.store(head + 1, std::memory_order_release);
  return true;
}

template <class T>
const T* RecordRing<T>::front() const noexcept {
  const auto tail = tail_.load(std::memory_order_relaxed);
  return head_.load(std::memory_order_acquire) == tail ? nullptr : &records_[tail & mask_];
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
