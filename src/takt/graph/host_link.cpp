// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/host_link.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/log.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/matching.hpp"
#include "takt/transport/shm/sweep.hpp"

namespace takt {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds{50};  // before another try to read, then doubled
constexpr int kMostTries = 10;                                   // together 50 s

std::uint32_t depth_of(const QoS& qos) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(qos.depth(), shm::kMostDepth));
}

shm::EndpointQos to_endpoint_qos(const QoS& qos) {
  using Qos = shm::EndpointQos;
  Qos out;
  out.reliability = qos.reliability() == ReliabilityPolicy::reliable ? Qos::Reliability::reliable
                                                                     : Qos::Reliability::best_effort;
  out.durability = qos.durability() == DurabilityPolicy::transient_local ? Qos::Durability::transient_local
                                                                         : Qos::Durability::volatile_;
  out.history = qos.history() == HistoryPolicy::keep_last ? Qos::History::keep_last : Qos::History::keep_all;
  out.depth = depth_of(qos);
  out.deadline = qos.deadline();
  return out;
}

shm::Endpoint endpoint_of(shm::EndpointKind kind, const std::string& topic, const TopicType& type,
                          const std::string& node, const QoS& qos) {
  shm::Endpoint out;
  out.kind = kind;
  out.topic = topic;
  out.type_name = type.name;
  out.type_hash = type.hash;
  out.node = node;
  out.pid = ::getpid();  // for what is said of a mismatch
  out.qos = to_endpoint_qos(qos);
  return out;
}

shm::Domain open_domain(const HostLink::Options& options) {
  return options.domain ? shm::Domain::open(options.folder, *options.domain)
                        : shm::Domain::open(options.folder);
}

/// Up to three times what the log takes as one argument.
void log_whole(log::Level level, const std::string& here, std::string_view text) {
  const auto part = [&](std::size_t at) {
    return text.substr(std::min(at * log::kTextBytes, text.size()), log::kTextBytes);
  };
  log::write(level, here, "{}{}{}", part(0), part(1), part(2));
}

void warn_of_mismatch(const std::string& topic, const std::string& here, const shm::Endpoint& there,
                      const std::string& reason) {
  log::write(log::Level::warn, here, "topic {}: nothing passes between this node and {}:", topic,
             shm::owner_of(there));
  log_whole(log::Level::warn, here, reason);
}

}  // namespace

HostLink::HostLink(const Options& options)
    : house_(House::of_process()), self_(open_domain(options)), nobody_(self_.bells->claim(0)) {
  shm::DiscoveryOwner owner;
  owner.on_appeared = [this](const shm::Endpoint& there) { on_appeared(there); };
  owner.on_gone = [this](const shm::Endpoint& there, shm::Departure how) { on_gone(there, how); };
  owner.remove_segments = [this](const shm::Domain& domain, const std::vector<std::string>&) {
    shm::sweep(domain);
    clean_up_after_a_death();
  };
  discovery_ = std::make_unique<shm::Discovery>(self_.domain, *self_.lease, std::move(owner));
  house_task_ = house_.add([this] { return serve(); });
}

HostLink::~HostLink() {
  house_task_.reset();
  discovery_.reset();
}

std::unique_ptr<Outlet> HostLink::make_outlet(const PublisherBase& publisher, const Room& room) {
  const auto& qos = publisher.get_actual_qos();
  const bool transient_local = qos.durability() == DurabilityPolicy::transient_local;
  shm::WriterOptions options;
  options.type_hash = publisher.type().hash;
  options.type_name = publisher.type().name;
  options.topic = publisher.get_topic_name();
  options.lease = self_.id;
  options.publisher = self_.id + publishers_.fetch_add(1) + 1;
  options.history =
      qos.history() == HistoryPolicy::keep_last ? shm::History::keep_last : shm::History::keep_all;
  options.depth = depth_of(qos);
  options.retained = transient_local ? options.depth : 0;
  options.readers = room.readers;
  options.max_size = room.largest == 0 ? shm::layout::kLargestMessage : room.largest;
  options.reserved = room.reserved;
  auto writer = shm::Writer::create(self_.domain, self_.bells, options);
  return std::make_unique<Outlet>(house_, std::move(writer), options.publisher, transient_local);
}

void HostLink::add(PublisherBase& publisher) {
  auto endpoint = endpoint_of(shm::EndpointKind::publisher, publisher.get_topic_name(), publisher.type(),
                              publisher.node_full_name(), publisher.get_actual_qos());
  endpoint.segment = publisher.outlet()->file_name();
  const std::lock_guard lock(mutex_);
  auto& topic = topics_[endpoint.topic];
  endpoint.id = discovery_->add(endpoint);
  const auto& here = topic.publishers.emplace_back(LocalPublisher{&publisher, std::move(endpoint)});
  for (const auto& there : topic.remote) match(here, there, 1);
}

void HostLink::add(const std::shared_ptr<SubscriptionBase>& subscription) {
  auto endpoint = endpoint_of(shm::EndpointKind::subscription, subscription->topic(), subscription->type(),
                              subscription->node_full_name(), subscription->qos());
  subscription->prepare_for_other_processes();
  subscription->inlets().set_bell(nobody_->index());  // until it is given to an executor
  const std::lock_guard lock(mutex_);
  auto& topic = topics_[endpoint.topic];
  endpoint.id = discovery_->add(endpoint);
  const auto& here = topic.subscriptions.emplace_back(LocalSubscription{subscription, std::move(endpoint)});
  for (const auto& there : topic.remote) match(here, there);
}

shm::EndpointId HostLink::add_node(const std::string& full_name) {
  shm::Endpoint endpoint;
  endpoint.kind = shm::EndpointKind::node;
  endpoint.node = full_name;
  return discovery_->add(std::move(endpoint));
}

void HostLink::remove_node(shm::EndpointId id) noexcept { discovery_->remove(id); }

void HostLink::remove(PublisherBase& publisher) noexcept {
  const std::lock_guard lock(mutex_);
  const auto topic = topics_.find(publisher.get_topic_name());
  if (topic == topics_.end()) return;
  std::erase_if(topic->second.publishers, [&](const LocalPublisher& here) {
    if (here.publisher != &publisher) return false;
    discovery_->remove(here.endpoint.id);
    return true;
  });
  forget_if_empty(publisher.get_topic_name());
}

void HostLink::remove(const std::shared_ptr<SubscriptionBase>& subscription) noexcept {
  const std::lock_guard lock(mutex_);
  const auto topic = topics_.find(subscription->topic());
  if (topic == topics_.end()) return;
  std::erase_if(topic->second.subscriptions, [&](const LocalSubscription& here) {
    if (here.subscription != subscription) return false;
    discovery_->remove(here.endpoint.id);
    here.subscription->inlets().clear();
    return true;
  });
  std::erase_if(unread_, [&](const Unread& one) { return one.here.subscription == subscription; });
  forget_if_empty(subscription->topic());
}

void HostLink::forget_if_empty(const std::string& name) {
  const auto at = topics_.find(name);
  if (at == topics_.end()) return;
  const auto& topic = at->second;
  if (topic.publishers.empty() && topic.subscriptions.empty() && topic.remote.empty()) topics_.erase(at);
}

void HostLink::match(const LocalPublisher& here, const shm::Endpoint& there, int change) {
  if (there.kind != shm::EndpointKind::subscription) return;
  const auto verdict = shm::compatible(here.endpoint, there);
  if (verdict) return;  // it attaches by itself
  here.publisher->count_incompatible(change);
  if (change > 0) {
    warn_of_mismatch(here.endpoint.topic, here.publisher->node(), there, verdict.reason);
  }
}

void HostLink::match(const LocalSubscription& here, const shm::Endpoint& there) {
  if (there.kind != shm::EndpointKind::publisher) return;
  if (const auto verdict = shm::compatible(there, here.endpoint); !verdict) {
    here.subscription->count_incompatible(1);
    warn_of_mismatch(here.endpoint.topic, here.subscription->node(), there, verdict.reason);
    return;
  }
  if (try_to_attach(here, there, "cannot read, and tries again")) return;
  unread_.push_back({here, there, 1, SteadyClock::instance()->steady_now() + kFirstPause});
  house_.stir();
}

/// False, and a complaint if there is one: it cannot be read now.
bool HostLink::try_to_attach(const LocalSubscription& here, const shm::Endpoint& there,
                             const char* complaint) {
  try {
    attach(here, there);
    return true;
  } catch (const std::exception& error) {
    std::error_code ignored;
    if (!std::filesystem::exists(self_.domain.path() / there.segment, ignored))
      return true;  // it has just left
    if (complaint == nullptr) return false;
    log::write(log::Level::error, here.subscription->node(), "topic {}, {}: {}:", here.endpoint.topic,
               shm::owner_of(there), complaint);
    log_whole(log::Level::error, here.subscription->node(), error.what());
    return false;
  }
}

/// True while there are any. What is wrong may be for good, so the pauses grow, and they end.
bool HostLink::read_the_unread() {
  const auto now = SteadyClock::instance()->steady_now();
  std::erase_if(unread_, [&](Unread& one) {
    if (now < one.next) return false;
    const bool last = ++one.tries == kMostTries;
    one.next = now + kFirstPause * (1 << one.tries);
    return try_to_attach(one.here, one.there, last ? "cannot read, and gives up" : nullptr) || last;
  });
  return !unread_.empty();
}

void HostLink::attach(const LocalSubscription& here, const shm::Endpoint& there) {
  const auto& qos = here.subscription->qos();
  shm::ReaderOptions options;
  options.type_hash = there.type_hash;
  options.lease = self_.id;
  options.bell = here.subscription->inlets().bell();
  options.depth = depth_of(qos);
  options.transient_local = qos.durability() == DurabilityPolicy::transient_local;
  auto reader = shm::Reader::attach(self_.domain, self_.domain.path() / there.segment, options);
  here.subscription->inlets().add(there.id, std::move(reader));
  here.subscription->matched(SteadyClock::instance()->steady_now());
  here.subscription->notify_if_waiting();
}

void HostLink::part(const LocalSubscription& here, const shm::Endpoint& there) noexcept {
  if (there.kind != shm::EndpointKind::publisher) return;
  if (here.subscription->inlets().close(there.id)) {
    here.subscription->notify_if_waiting();  // it may have died between commit and wake
    house_.stir();
  } else if (!shm::compatible(there, here.endpoint)) {
    here.subscription->count_incompatible(-1);
  }
}

void HostLink::on_appeared(const shm::Endpoint& there) {
  if (there.kind == shm::EndpointKind::node) return;
  const std::lock_guard lock(mutex_);
  auto& topic = topics_[there.topic];
  topic.remote.push_back(there);
  for (const auto& here : topic.publishers) match(here, there, 1);
  for (const auto& here : topic.subscriptions) match(here, there);
}

void HostLink::on_gone(const shm::Endpoint& there, shm::Departure /*how*/) {
  const std::lock_guard lock(mutex_);
  const auto at = topics_.find(there.topic);
  if (at == topics_.end()) return;
  auto& topic = at->second;
  if (std::erase_if(topic.remote, [&](const auto& one) { return one.id == there.id; }) == 0) return;
  std::erase_if(unread_, [&](const Unread& one) { return one.there.id == there.id; });
  for (const auto& here : topic.publishers) match(here, there, -1);
  for (const auto& here : topic.subscriptions) part(here, there);
  forget_if_empty(there.topic);
}

/// Whoever died may have held messages and bells.
void HostLink::clean_up_after_a_death() {
  self_.bells->reclaim();
  const std::lock_guard lock(mutex_);
  for (const auto& [name, topic] : topics_) {
    for (const auto& here : topic.publishers) here.publisher->outlet()->reclaim();
  }
}

bool HostLink::serve() {
  const std::lock_guard lock(mutex_);
  bool busy = read_the_unread();
  for (const auto& [name, topic] : topics_) {
    for (const auto& here : topic.publishers) busy = here.publisher->outlet()->serve() || busy;
    for (const auto& here : topic.subscriptions) busy = here.subscription->inlets().collect() || busy;
  }
  return busy;
}

}  // namespace takt
