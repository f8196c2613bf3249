// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt/timing/record.hpp"

namespace takt::timing {

/// A record that waits until no earlier one can come.
struct Pending {
  ActivationRecord record;
  std::uint32_t worker;
  std::uint32_t evidence;   // where the fold keeps it
  std::uint64_t order = 0;  // of arrival, for equal starts; PendingRecords sets it
};

/// Records in order of their start. Nearly all of them come in that order: these stand in a queue, and only
/// one that comes late goes through a heap. All storage is allocated and touched at construction. Not
/// thread-safe.
class PendingRecords {
 public:
  explicit PendingRecords(std::size_t capacity);

  /// Not when full.
  void push(const Pending& pending) noexcept;
  /// The earliest. Not when empty; valid until the next call of a function that is not const.
  const Pending& front() const noexcept { return records_[front_place()]; }
  void pop() noexcept;

  bool empty() const noexcept { return size() == 0; }
  bool full() const noexcept { return size() == capacity(); }
  std::size_t size() const noexcept { return (in_end_ - in_begin_) + late_.size(); }
  std::size_t capacity() const noexcept { return records_.size(); }

 private:
  bool after(std::uint32_t a, std::uint32_t b) const noexcept;
  bool late_first() const noexcept;
  std::uint32_t front_place() const noexcept;

  std::vector<Pending> records_;
  std::vector<std::uint32_t> free_;      // places in records_
  std::vector<std::uint32_t> in_order_;  // a ring of places: [in_begin_, in_end_)
  std::uint64_t in_begin_ = 0;
  std::uint64_t in_end_ = 0;
  std::vector<std::uint32_t> late_;  // a heap of places, the earliest start first
  std::uint64_t arrivals_ = 0;
};

}  // namespace takt::timing
