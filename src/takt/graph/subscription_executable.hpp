// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "takt/graph/executable.hpp"
#include "takt/graph/subscription_queue.hpp"

namespace takt {

/// The queue of a subscription that has a callback: an executor runs it once for each message.
template <class T>
class SubscriptionExecutable final : public Executable, public SubscriptionQueue<T> {
 public:
  SubscriptionExecutable(timing::Monitor& monitor, timing::Section& section, const std::string& node,
                         std::string topic, const QoS& qos, SubscriptionCallback<T> callback)
      : Executable(monitor, section),
        SubscriptionQueue<T>(node, std::move(topic), qos, callback.wants()),
        callback_(std::move(callback)) {
    this->executable_ = this;
  }

  /// The message is destroyed after the activation has ended.
  std::optional<timing::Outcome> run(RunContext& context) override {
    InPlace in_place;
    auto parcel = this->pop(in_place);
    if (!parcel) return std::nullopt;
    if (context.may_overlap && this->waiting()) Executable::notify(context.now);
    timing::Trigger trigger;
    trigger.release = ClockTime{parcel->release.time_since_epoch()};
    trigger.start =
        std::max(context.now,
                 parcel->release);  // it may have been published just after the worker looked at the clock
    trigger.arrival = parcel->info.received;
    trigger.origin = parcel->info.origin;
    auto activation = context.recorder.begin(this->section(), trigger);
    try {
      callback_(*parcel);
    } catch (...) {
      activation.flags |= timing::kThrew;
      context.recorder.end(activation);
      throw;
    }
    return context.recorder.end(activation);
  }

  bool has_work() const noexcept override { return this->waiting(); }
  bool hears_other_processes() const noexcept override { return hears_; }
  void ring_at(std::uint32_t row) noexcept override { this->inlets().set_bell(row); }
  void prepare_for_other_processes() override {
    SubscriptionQueue<T>::prepare_for_other_processes();
    hears_ = true;
  }

 private:
  SubscriptionCallback<T> callback_;
  bool hears_ = false;  // set before it is attached
};

}  // namespace takt
