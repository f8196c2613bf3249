// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "takt/graph/message_queue.hpp"
#include "takt/graph/subscription_base.hpp"

namespace takt {

/// A subscription of messages of one type: the queue and its counters.
template <class T>
class SubscriptionQueue : public SubscriptionBase {
 public:
  SubscriptionQueue(std::string node, std::string topic, const QoS& qos, Wants wants)
      : SubscriptionBase(std::move(node), std::move(topic), qos, topic_type<T>(), wants), queue_(qos) {}

  /// Publishers. Real-time: lock-free, allocates nothing. A message that it pushes out is destroyed here.
  PushResult push(Parcel<T>&& parcel) noexcept {
    const auto pushed = queue_.push(std::move(parcel));
    if (pushed == PushResult::refused) refused_.fetch_add(1, std::memory_order_relaxed);
    if (pushed == PushResult::dropped_oldest) overwritten_.fetch_add(1, std::memory_order_release);
    return pushed;
  }

  /// Takers. Real-time: lock-free, allocates nothing.
  std::optional<Parcel<T>> pop() noexcept { return queue_.pop(); }

  SubscriptionCounters counters() const noexcept override {
    SubscriptionCounters out;
    out.overwritten =
        overwritten_.load(std::memory_order_acquire);  // these are among `left`, which only grows
    const auto left = queue_.left();
    out.received = queue_.pushed();
    out.taken = left - out.overwritten;
    out.refused = refused_.load(std::memory_order_relaxed);
    return out;
  }

  bool waiting() const noexcept { return !queue_.empty(); }
  std::uint32_t size() const noexcept { return queue_.size(); }

  /// While it is added to the registry: a publisher hands over what it had retained, oldest first.
  void add_retained(Parcel<T>&& parcel) { joining_.push_back(std::move(parcel)); }

 private:
  void put_retained(SteadyTime now) override {
    std::stable_sort(joining_.begin(), joining_.end(),
                     [](const auto& a, const auto& b) { return a.info.published < b.info.published; });
    for (auto& parcel : joining_) parcel.info.received = parcel.release = now;
    queue_.put_retained(std::move(joining_));
    joining_ = std::vector<Parcel<T>>();
  }

  MessageQueue<T> queue_;
  std::atomic<std::uint64_t> overwritten_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::vector<Parcel<T>> joining_;  // guarded by the registry's mutex
};

}  // namespace takt
