// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt/core/clock.hpp"
#include "takt/core/house.hpp"
#include "takt/graph/publisher_base.hpp"
#include "takt/graph/subscription_base.hpp"

namespace takt {

/// One end of a topic, for listings.
struct TopicEndpoint {
  std::string node;
  QoS qos;
  std::size_t matched = 0;       ///< ends of the other side
  std::size_t incompatible = 0;  ///< ends of the other side that it cannot be matched with
};

struct TopicDescription {
  std::string name;
  std::string type;
  std::vector<TopicEndpoint> publishers;
  std::vector<TopicEndpoint> subscriptions;
};

/// The topics of a context: who publishes and who subscribes, and who is matched with whom. Any thread; all
/// functions may block and allocate.
class TopicRegistry {
 public:
  explicit TopicRegistry(Context& context);

  /// Errors: SetupError when the topic has another type: both types and nodes are named.
  void check_type(const std::string& topic, const TopicType& type, const std::string& node) const;

  /// Matches it with what is there: from the return on no message is lost uncounted. Errors: as check_type().
  void add(PublisherBase& publisher);
  void add(const std::shared_ptr<SubscriptionBase>& subscription);
  /// Nothing new is sent from it, or to it. One publish that runs at this moment may still queue its message.
  void remove(PublisherBase& publisher) noexcept;
  void remove(const std::shared_ptr<SubscriptionBase>& subscription) noexcept;

  std::size_t count_publishers(const std::string& topic) const;
  std::size_t count_subscriptions(const std::string& topic) const;
  /// In order of the name.
  std::vector<TopicDescription> topics() const;

 private:
  struct Topic {
    TopicType type;
    std::vector<PublisherBase*> publishers;
    std::vector<std::shared_ptr<SubscriptionBase>> subscriptions;
  };

  /// The topic, made when it is new. Under the mutex.
  Topic& enter(const std::string& name, const TopicType& type, const std::string& node);
  void check_type_locked(const std::string& topic, const TopicType& type, const std::string& node) const;
  void forget_if_empty(const std::string& name);
  static void match(PublisherBase& publisher, const std::shared_ptr<SubscriptionBase>& subscription);
  static void unmatch(PublisherBase& publisher, const std::shared_ptr<SubscriptionBase>& subscription);
  /// Task of the house: lets go of lists of subscriptions that nobody reads any more.
  bool collect();

  const std::shared_ptr<MonotonicClock> clock_;  // retained messages are released when a subscription joins
  mutable std::mutex mutex_;  // guards topics_ and the publishers' lists; nothing else is locked under it
  std::map<std::string, Topic, std::less<>> topics_;
  std::unique_ptr<House::Registration> collecting_;  // last: removed first
};

}  // namespace takt
