// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "takt/graph/in_place.hpp"
#include "takt/graph/loan.hpp"
#include "takt/graph/message_queue.hpp"
#include "takt/graph/subscription_base.hpp"
#include "takt/graph/wire_message.hpp"

namespace takt {

/// A subscription of messages of one type: the queue and its counters.
template <class T>
class SubscriptionQueue : public SubscriptionBase {
 public:
  SubscriptionQueue(const std::string& node, std::string topic, const QoS& qos, Wants wants)
      : SubscriptionBase(node, std::move(topic), qos, topic_type<T>(), wants), queue_(qos) {}

  /// Publishers. Real-time: lock-free, allocates nothing. A message that it pushes out is destroyed here.
  PushResult push(Parcel<T>&& parcel) noexcept {
    const auto pushed = queue_.push(std::move(parcel));
    if (pushed == PushResult::refused) refused_.fetch_add(1, std::memory_order_relaxed);
    if (pushed == PushResult::dropped_oldest) overwritten_.fetch_add(1, std::memory_order_release);
    return pushed;
  }

  /// Takers: the oldest of this process's messages, else one of another process's, for which `in_place` must
  /// outlive the parcel. Real-time: lock-free; allocates where a message of another process has a longer
  /// string or sequence than those before it.
  std::optional<Parcel<T>> pop(InPlace& in_place) {
    auto parcel = queue_.pop();
    if (!parcel && inlets_.size() != 0) parcel = pop_remote(in_place);
    return parcel;
  }

  SubscriptionCounters counters() const noexcept override {
    SubscriptionCounters out;
    out.overwritten =
        overwritten_.load(std::memory_order_acquire);  // these are among `left`, which only grows
    const auto left = queue_.left();
    out.received = queue_.pushed();
    out.taken = left - out.overwritten;
    out.refused = refused_.load(std::memory_order_relaxed);
    const auto remote = inlets_.counters();
    out.malformed = malformed_.load(std::memory_order_relaxed) + remote.corrupt;
    out.lost = remote.lost;
    out.received += remote.taken;
    out.taken += remote.taken - malformed_.load(std::memory_order_relaxed);
    return out;
  }

  void prepare_for_other_processes() override {
    if constexpr (wire::Crossing<T> && !wire::in_place<T>()) pool_ = MessagePool<T>::make(kDecoded);
  }

  /// Real-time: wait-free.
  bool waiting() const noexcept { return !queue_.empty() || inlets_.ready(); }
  /// Of this process's messages.
  std::uint32_t size() const noexcept { return queue_.size(); }

  /// While it is added to the registry: a publisher hands over what it had retained, oldest first.
  void add_retained(Parcel<T>&& parcel) { joining_.push_back(std::move(parcel)); }

 private:
  static constexpr std::uint32_t kDecoded = 10;  // messages of other processes, at work or kept, at a time

  std::optional<Parcel<T>> pop_remote(InPlace& in_place) {
    if constexpr (wire::Crossing<T>) {
      while (auto taken = inlets_.take()) {
        heard_abroad(taken->info.published);
        auto parcel = open(*taken, in_place);
        if (!parcel) {
          malformed_.fetch_add(1, std::memory_order_relaxed);
          continue;
        }
        parcel->info = taken->info;
        parcel->release = taken->release;
        return parcel;
      }
    }
    return std::nullopt;
  }

  /// Reads it where it lies if it can, else copies its fields. Empty when the bytes are no T.
  std::optional<Parcel<T>> open(InletSet::Taken& taken, InPlace& in_place) {
    if constexpr (wire::in_place<T>()) {
      if (wire::readable_in_place<T>(taken.view.bytes())) {
        in_place.hold(std::move(taken.view), wire::kBody);
        return Parcel<T>(in_place);
      }
    }
    if (pool_) {
      if (auto loan = Loan<T>::from(*pool_)) {
        if (!wire::read(taken.view.bytes(), *loan)) return std::nullopt;
        return Parcel<T>(std::move(loan));
      }
    }
    auto message = std::make_unique<T>();
    if (!wire::read(taken.view.bytes(), *message)) return std::nullopt;
    return Parcel<T>(std::move(message));
  }

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
  std::atomic<std::uint64_t> malformed_{0};
  typename MessagePool<T>::Handle pool_;  // null: none is needed
  std::vector<Parcel<T>> joining_;        // guarded by the registry's mutex
};

}  // namespace takt
