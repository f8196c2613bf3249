// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "takt/graph/message_info.hpp"
#include "takt/graph/qos.hpp"

namespace takt {

class Context;

struct PublisherOptions {
  std::uint32_t loans = 0;  ///< messages preallocated for borrow(); 0: the depth of the QoS + 8
};

/// What became of one message.
struct PublishResult {
  std::uint32_t delivered = 0;    ///< subscriptions that it was queued at
  std::uint32_t overwritten = 0;  ///< older messages that it pushed out (keep last)
  std::uint32_t refused = 0;      ///< subscriptions whose keep-all queue was full
  bool suppressed = false;        ///< late result of a firm callback: not sent
};

// INTERFACE SKETCH (being implemented): template <class T> class Publisher, Loan<T>.
//   using SharedPtr = std::shared_ptr<Publisher<T>>;
//   Publisher(std::shared_ptr<Context>, std::string node, std::string topic, const QoS&, PublisherOptions);
//   PublishResult publish(std::unique_ptr<T>);            publish(const T&);            publish(Loan<T>&&);
//   PublishResult publish(std::unique_ptr<T>, timing::Origin); publish(const T&, timing::Origin); publish(Loan<T>&&, timing::Origin);
//   Loan<T> borrow();    // empty when the pool is exhausted (counted)
//   get_topic_name(), get_subscription_count(), get_actual_qos(), counters()
}  // namespace takt
