// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/pending_records.hpp"

#include <algorithm>
#include <numeric>

namespace takt::timing {

PendingRecords::PendingRecords(std::size_t capacity)
    : records_(capacity), free_(capacity), in_order_(capacity), late_(capacity) {
  std::iota(free_.rbegin(), free_.rend(), 0U);
  late_.clear();
}

bool PendingRecords::after(std::uint32_t a, std::uint32_t b) const noexcept {
  const auto& first = records_[a];
  const auto& second = records_[b];
  if (first.record.start_ns != second.record.start_ns) return first.record.start_ns > second.record.start_ns;
  return first.order > second.order;
}

void PendingRecords::push(const Pending& pending) noexcept {
  const auto place = free_.back();
  free_.pop_back();
  records_[place] = pending;
  records_[place].order = ++arrivals_;
  const auto n = in_order_.size();
  if (in_begin_ == in_end_ || after(place, in_order_[(in_end_ - 1) % n])) {
    in_order_[in_end_++ % n] = place;
    return;
  }
  late_.push_back(place);
  std::push_heap(late_.begin(), late_.end(), [this](auto a, auto b) { return after(a, b); });
}

bool PendingRecords::late_first() const noexcept {
  if (late_.empty()) return false;
  return in_begin_ == in_end_ || after(in_order_[in_begin_ % in_order_.size()], late_.front());
}

std::uint32_t PendingRecords::front_place() const noexcept {
  return late_first() ? late_.front() : in_order_[in_begin_ % in_order_.size()];
}

void PendingRecords::pop() noexcept {
  free_.push_back(front_place());
  if (!late_first()) {
    ++in_begin_;
    return;
  }
  std::pop_heap(late_.begin(), late_.end(), [this](auto a, auto b) { return after(a, b); });
  late_.pop_back();
}

}  // namespace takt::timing
