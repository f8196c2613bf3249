// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/topic_registry.hpp"

#include <algorithm>

#include "takt/core/error.hpp"
#include "takt/core/log.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/disposal.hpp"

namespace takt {
namespace {

std::size_t size_of(const auto& topics, const std::string& name, auto member) {
  const auto it = topics.find(name);
  return it == topics.end() ? 0 : (it->second.*member).size();
}

}  // namespace

TopicRegistry::TopicRegistry(Context& context) : clock_(context.clock()) {
  prepare_disposal();
  collecting_ = context.house().add([this] { return collect(); });
}

void TopicRegistry::check_type(const std::string& topic, const TopicType& type,
                               const std::string& node) const {
  const std::lock_guard lock(mutex_);
  check_type_locked(topic, type, node);
}

void TopicRegistry::check_type_locked(const std::string& topic, const TopicType& type,
                                      const std::string& node) const {
  const auto it = topics_.find(topic);
  if (it == topics_.end() || it->second.type.type == type.type) return;
  const auto& there = it->second;
  const bool published = !there.publishers.empty();
  const auto& other = published ? there.publishers.front()->node() : there.subscriptions.front()->node();
  throw SetupError("topic " + topic + " is " + there.type.name + " (node " + other +
                       (published ? " publishes it" : " subscribes to it") + "); node " + node +
                       " wants it as " + type.name,
                   "use the same type at both ends, or another topic name");
}

TopicRegistry::Topic& TopicRegistry::enter(const std::string& name, const TopicType& type,
                                           const std::string& node) {
  check_type_locked(name, type, node);
  return topics_.try_emplace(name, Topic{type, {}, {}}).first->second;
}

void TopicRegistry::forget_if_empty(const std::string& name) {
  const auto it = topics_.find(name);
  if (it != topics_.end() && it->second.publishers.empty() && it->second.subscriptions.empty())
    topics_.erase(it);
}

void TopicRegistry::match(PublisherBase& publisher, const std::shared_ptr<SubscriptionBase>& subscription) {
  const auto reason = incompatibility(publisher.get_actual_qos(), subscription->qos());
  if (reason.empty()) {
    subscription->matched(publisher.now());
    publisher.match(subscription);
    subscription->publishers_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  publisher.incompatible_.fetch_add(1, std::memory_order_relaxed);
  subscription->incompatible_.fetch_add(1, std::memory_order_relaxed);
  log::write(log::Level::warn, publisher.node(), "topic {}: nothing is sent from this node to {}: {}",
             publisher.get_topic_name(), subscription->node(), reason);
}

void TopicRegistry::unmatch(PublisherBase& publisher, const std::shared_ptr<SubscriptionBase>& subscription) {
  if (incompatibility(publisher.get_actual_qos(), subscription->qos()).empty()) {
    publisher.unmatch(subscription);
    subscription->publishers_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  publisher.incompatible_.fetch_sub(1, std::memory_order_relaxed);
  subscription->incompatible_.fetch_sub(1, std::memory_order_relaxed);
}

void TopicRegistry::add(PublisherBase& publisher) {
  const std::lock_guard lock(mutex_);
  auto& topic = enter(publisher.get_topic_name(), publisher.type(), publisher.node());
  topic.publishers.push_back(&publisher);
  for (const auto& subscription : topic.subscriptions) match(publisher, subscription);
}

void TopicRegistry::add(const std::shared_ptr<SubscriptionBase>& subscription) {
  const std::lock_guard lock(mutex_);
  auto& topic = enter(subscription->topic(), subscription->type(), subscription->node());
  topic.subscriptions.push_back(subscription);
  for (auto* publisher : topic.publishers) match(*publisher, subscription);
  subscription->put_retained(clock_->steady_now());
}

void TopicRegistry::remove(PublisherBase& publisher) noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = topics_.find(publisher.get_topic_name());
  if (it == topics_.end() || std::erase(it->second.publishers, &publisher) == 0) return;
  for (const auto& subscription : it->second.subscriptions) unmatch(publisher, subscription);
  forget_if_empty(publisher.get_topic_name());
}

void TopicRegistry::remove(const std::shared_ptr<SubscriptionBase>& subscription) noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = topics_.find(subscription->topic());
  if (it == topics_.end() || std::erase(it->second.subscriptions, subscription) == 0) return;
  for (auto* publisher : it->second.publishers) unmatch(*publisher, subscription);
  forget_if_empty(subscription->topic());
}

std::size_t TopicRegistry::count_publishers(const std::string& topic) const {
  const std::lock_guard lock(mutex_);
  return size_of(topics_, topic, &Topic::publishers);
}

std::size_t TopicRegistry::count_subscriptions(const std::string& topic) const {
  const std::lock_guard lock(mutex_);
  return size_of(topics_, topic, &Topic::subscriptions);
}

std::vector<TopicDescription> TopicRegistry::topics() const {
  const std::lock_guard lock(mutex_);
  std::vector<TopicDescription> out;
  for (const auto& [name, topic] : topics_) {
    auto& one = out.emplace_back(TopicDescription{name, topic.type.name, {}, {}});
    for (const auto* p : topic.publishers) {
      one.publishers.push_back(
          {p->node(), p->get_actual_qos(), p->get_subscription_count(), p->incompatible()});
    }
    for (const auto& s : topic.subscriptions) {
      one.subscriptions.push_back({s->node(), s->qos(), s->publishers(), s->incompatible()});
    }
  }
  return out;
}

bool TopicRegistry::collect() {
  const std::lock_guard lock(mutex_);
  bool left = false;
  for (auto& [name, topic] : topics_) {
    for (auto* publisher : topic.publishers) left = publisher->matches_.collect() || left;
  }
  return left;
}

}  // namespace takt
