// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "takt/graph/callback_group.hpp"
#include "takt/graph/message_info.hpp"
#include "takt/graph/qos.hpp"
#include "takt/timing/deadline.hpp"

namespace takt {

struct SubscriptionOptions {
  CallbackGroup::SharedPtr callback_group;  ///< default: the node's default group
  Deadline deadline;                        ///< relative to the publish time; default: none
  std::string name;                         ///< of the callback in verdicts; default "<node>/<topic>"
};

// INTERFACE SKETCH (being implemented): template <class T> class Subscription.
//   using SharedPtr = std::shared_ptr<Subscription<T>>;
//   Subscription(std::shared_ptr<Context>, std::string node, std::string topic, const QoS&, Callback, SubscriptionOptions, CallbackGroup::SharedPtr);
//   bool take(T& message, MessageInfo& info);    // polling; an activation that takes inherits the oldest origin
//   get_topic_name(), get_publisher_count(), get_actual_qos(), counters(), section()
}  // namespace takt
