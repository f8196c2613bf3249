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
  SubscriptionExecutable(timing::Monitor& monitor, timing::Section& section, std::string node,
                         std::string topic, const QoS& qos, SubscriptionCallback<T> callback)
      : Executable(monitor, section),
        SubscriptionQueue<T>(std::move(node), std::move(topic), qos, callback.wants()),
        callback_(std::move(callback)) {
    this->executable_ = this;
  }

  /// The message is destroyed after the activation has ended.
  std::optional<timing::Outcome> run(RunContext& context) override {
    auto parcel = this->pop();
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

 private:
  SubscriptionCallback<T> callback_;
};

}  // namespace takt
