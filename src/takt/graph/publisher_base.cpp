// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/publisher_base.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "takt/core/house.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/topic_name.hpp"
#include "takt/graph/topic_registry.hpp"

namespace takt {
namespace {

/// Whether this activation is of a firm callback and its response exceeds the deadline already.
bool late(const timing::Activation& activation, SteadyTime now) noexcept {
  const auto& section = *activation.section;
  if (!section.firm() || section.deadline() == kNoDeadline || section.options().rule != MissRule::response)
    return false;
  return (activation.start_on_clock - activation.release) + (now - activation.start) > section.deadline();
}

}  // namespace

PublisherBase::PublisherBase(std::shared_ptr<Context> context, const std::string& node, std::string topic,
                             const QoS& qos, TopicType type)
    : matches_(std::make_unique<Matches>()),
      context_(std::move(context)),
      clock_(*context_->clock()),
      node_full_name_(full_name_of(node)),
      node_(short_name_of(node)),
      topic_(std::move(topic)),
      qos_(qos),
      type_(std::move(type)),
      id_(context_->next_id()) {}

void PublisherBase::make_outlet(std::size_t largest, const PublisherOptions& options) {
  HostLink* host = context_->host();
  if (host == nullptr) return;
  context_->topics().check_type(topic_, type_, node_);  // before there is a file
  HostLink::Room room;
  room.largest = options.largest != 0 ? options.largest : largest;
  room.reserved = options.reserved;
  room.readers = options.readers;
  outlet_ = host->make_outlet(*this, room);
}

void PublisherBase::make_events(const PublisherOptions& options) {
  const auto& callback = options.event_callbacks.deadline_callback;
  if (!callback || qos_.deadline() == Duration::max()) return;
  context_->topics().check_type(topic_, type_, node_);  // before there is a section
  deadline_event_ =
      DeadlineEventHandle(*context_, node_, topic_.substr(1) + " offered deadline", qos_.deadline(),
                          options.callback_group, [callback](auto total, auto change) {
                            QOSDeadlineOfferedInfo info{total, change};
                            callback(info);
                          });
}

void PublisherBase::enter() {
  if (deadline_event_) {
    deadline_event_.event()->begin(now());
    deadline_event_.enter();
  }
  context_->topics().add(*this);
  if (!outlet_) return;
  try {
    context_->host()->add(*this);
  } catch (...) {
    context_->topics().remove(*this);
    throw;
  }
}

void PublisherBase::leave() noexcept {
  deadline_event_.leave();
  if (outlet_) {
    context_->host()->remove(*this);
    outlet_->close();  // loans may keep it, and at the exit of the process nobody collects those
  }
  context_->topics().remove(*this);
}

PublisherCounters PublisherBase::counters() const noexcept {
  PublisherCounters out;
  out.overwritten = overwritten_.load(std::memory_order_relaxed);
  // Acquired, so that the readings in which they were counted are among those that are counted next.
  out.refused = refused_.load(std::memory_order_acquire);
  const auto undelivered = undelivered_.load(std::memory_order_acquire);
  out.published = matches_.readings();
  out.delivered =
      handed_.load(std::memory_order_relaxed) + matches_.weighed_readings() - out.refused - undelivered;
  out.suppressed = suppressed_.load(std::memory_order_relaxed);
  out.copies = copies_.load(std::memory_order_relaxed);
  if (outlet_) out.host = outlet_->counters();
  out.delivered += out.host.delivered;
  return out;
}

bool PublisherBase::stamp(MessageInfo& info, const timing::Origin* origin) noexcept {
  info.published = clock_.steady_now();
  if (auto* activation = timing::current_activation()) {
    if (late(*activation, info.published)) {
      activation->section->count_suppressed();
      activation->flags |= timing::kSuppressed;
      suppressed_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    info.origin = activation->origin;
  }
  if (const auto& silence = deadline_event_.silence()) silence->heard(info.published, true);
  if (origin != nullptr) info.origin = *origin;
  info.received = info.published;
  info.publisher = id_;
  return true;
}

void PublisherBase::count_rare(const PublishResult& result, std::uint64_t copies) noexcept {
  const auto add = [](std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    if (n != 0) counter.fetch_add(n, std::memory_order_release);
  };
  add(overwritten_, result.overwritten);
  add(refused_, result.refused);
  add(copies_, copies);
}

void PublisherBase::match(const std::shared_ptr<SubscriptionBase>& subscription) {
  auto next = std::make_unique<Matches>();
  next->sharing = matches_.current().sharing;
  next->owning = matches_.current().owning;
  (subscription->wants() == Wants::owned ? next->owning : next->sharing).push_back(subscription);
  replace(std::move(next));

  const auto wanted = DurabilityPolicy::transient_local;
  if (qos_.durability() != wanted || subscription->qos().durability() != wanted) return;
  // Every publish that does not know the subscription must have retained its message: only set-up waits for
  // this, publishing threads never do. Sleeping, not spinning, lets a publisher of any priority go on.
  while (matches_.collect()) std::this_thread::sleep_for(std::chrono::microseconds{50});
  hand_retained(*subscription, matches_.current().version);
}

void PublisherBase::unmatch(const std::shared_ptr<SubscriptionBase>& subscription) {
  auto next = std::make_unique<Matches>();
  next->sharing = matches_.current().sharing;
  next->owning = matches_.current().owning;
  std::erase(next->sharing, subscription);
  std::erase(next->owning, subscription);
  replace(std::move(next));
}

void PublisherBase::replace(std::unique_ptr<Matches> next) {
  next->version = matches_.current().version + 1;
  const auto takers = next->sharing.size() + next->owning.size();
  subscriptions_.store(static_cast<std::uint32_t>(takers), std::memory_order_relaxed);
  matches_.replace(std::move(next), takers);
  context_->house().stir();  // the registry's task collects the old one
}

}  // namespace takt
