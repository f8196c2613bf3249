// SPDX-License-Identifier: Apache-2.0
// For tests of topics: both ends without a node, in one group and one executor, on a virtual clock.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "takt/graph/executor.hpp"
#include "takt/graph/publisher.hpp"
#include "takt/graph/subscription.hpp"
#include "takt/graph/test_support.hpp"
#include "takt/graph/topic_registry.hpp"

namespace takt::testing {

/// No ROS message: any C++ type can be sent within a process.
struct Sample {
  int value = 0;
};

struct TopicRun : VirtualRun {
  CallbackGroup::SharedPtr group = std::make_shared<CallbackGroup>(
      context, "node", CallbackGroupType::MutuallyExclusive, CallbackGroupOptions{});
  Executor executor{{.context = context}};

  TopicRun() { executor.add_callback_group(group); }

  template <class T = Sample>
  typename Publisher<T>::SharedPtr publisher(const QoS& qos = 10, PublisherOptions options = {},
                                             const std::string& topic = "/topic",
                                             const std::string& node = "talker") {
    return std::make_shared<Publisher<T>>(context, node, topic, qos, options);
  }
  template <class T = Sample, class Callback>
  typename Subscription<T>::SharedPtr subscription(const QoS& qos, Callback callback,
                                                   SubscriptionOptions options = {},
                                                   const std::string& topic = "/topic",
                                                   const std::string& node = "listener") {
    return std::make_shared<Subscription<T>>(context, node, topic, qos, std::move(callback), options, group);
  }
  /// Until no message waits.
  void spin() { executor.spin_all(Duration::zero()); }
};

}  // namespace takt::testing
