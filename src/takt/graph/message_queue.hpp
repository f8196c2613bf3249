// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "takt/core/bounded_queue.hpp"
#include "takt/graph/parcel.hpp"
#include "takt/graph/qos.hpp"

namespace takt {

/// What waits at one subscription: what publishers sent since it is known to them, and before that, when it
/// is transient local, what they had retained. Keep last bounds both together. Any number of threads at both
/// ends.
template <class T>
class MessageQueue {
 public:
  explicit MessageQueue(const QoS& qos)
      : depth_(static_cast<std::uint32_t>(qos.depth())),
        when_full_(qos.history() == HistoryPolicy::keep_last ? WhenFull::drop_oldest : WhenFull::refuse),
        sent_(depth_, when_full_) {
    if (qos.durability() == DurabilityPolicy::transient_local) {
      retained_ = std::make_unique<BoundedQueue<Parcel<T>>>(depth_, WhenFull::refuse);
    }
  }

  /// Real-time: lock-free; allocates nothing. A message that it pushes out is destroyed here.
  PushResult push(Parcel<T>&& parcel) noexcept {
    const auto pushed = sent_.push(std::move(parcel));
    if (pushed == PushResult::ok && retained_ && when_full_ == WhenFull::drop_oldest && !retained_->empty() &&
        size() > depth_ && retained_->pop()) {
      return PushResult::dropped_oldest;
    }
    return pushed;
  }

  /// Takes the oldest. Real-time: lock-free; allocates nothing.
  std::optional<Parcel<T>> pop() noexcept {
    if (retained_ && !retained_->empty()) {
      if (auto parcel = retained_->pop()) return parcel;
    }
    return sent_.pop();
  }

  /// Puts what publishers had retained before everything else; the newest that fit. Returns how many those
  /// were. Once, before anybody takes; only when transient local.
  std::size_t put_retained(std::vector<Parcel<T>> parcels) {
    const auto waiting = when_full_ == WhenFull::drop_oldest ? sent_.size() : 0;
    const std::size_t room = waiting < depth_ ? depth_ - waiting : 0;
    const auto kept = std::min(room, parcels.size());
    for (auto it = parcels.end() - static_cast<std::ptrdiff_t>(kept); it != parcels.end(); ++it) {
      retained_->push(std::move(*it));
    }
    return kept;
  }

  /// Exact when nobody else is at work. Real-time: wait-free.
  bool empty() const noexcept { return sent_.empty() && (!retained_ || retained_->empty()); }
  std::uint32_t size() const noexcept { return sent_.size() + (retained_ ? retained_->size() : 0); }

  /// How many have been pushed, retained ones included, and how many have left: taken or dropped. Counted by
  /// the order of the queue itself; no instant's view while others are at work. Real-time: wait-free.
  std::uint64_t pushed() const noexcept { return sent_.pushed() + (retained_ ? retained_->pushed() : 0); }
  std::uint64_t left() const noexcept { return sent_.left() + (retained_ ? retained_->left() : 0); }

 private:
  const std::uint32_t depth_;
  const WhenFull when_full_;
  BoundedQueue<Parcel<T>> sent_;
  std::unique_ptr<BoundedQueue<Parcel<T>>> retained_;
};

}  // namespace takt
