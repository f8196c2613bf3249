// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/publisher_base.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "takt/core/house.hpp"
#include "takt/graph/context.hpp"
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

PublisherBase::PublisherBase(std::shared_ptr<Context> context, std::string node, std::string topic,
                             const QoS& qos, TopicType type)
    : matches_(std::make_unique<Matches>()),
      context_(std::move(context)),
      clock_(*context_->clock()),
      node_(std::move(node)),
      topic_(std::move(topic)),
      qos_(qos),
      type_(std::move(type)),
      id_(context_->next_id()) {}

void PublisherBase::enter() { context_->topics().add(*this); }
void PublisherBase::leave() noexcept { context_->topics().remove(*this); }

PublisherCounters PublisherBase::counters() const noexcept {
  PublisherCounters out;
  out.published = published_.load(std::memory_order_relaxed);
  out.delivered = delivered_.load(std::memory_order_relaxed);
  out.overwritten = overwritten_.load(std::memory_order_relaxed);
  out.refused = refused_.load(std::memory_order_relaxed);
  out.suppressed = suppressed_.load(std::memory_order_relaxed);
  out.copies = copies_.load(std::memory_order_relaxed);
  return out;
}

std::optional<MessageInfo> PublisherBase::stamp(const timing::Origin* origin) noexcept {
  MessageInfo info;
  info.published = clock_.steady_now();
  if (auto* activation = timing::current_activation()) {
    if (late(*activation, info.published)) {
      activation->section->count_suppressed();
      activation->flags |= timing::kSuppressed;
      suppressed_.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;
    }
    info.origin = activation->origin;
  }
  if (origin != nullptr) info.origin = *origin;
  info.received = info.published;
  info.publisher = id_;
  info.sequence = published_.fetch_add(1, std::memory_order_relaxed) + 1;
  return info;
}

void PublisherBase::count(const PublishResult& result, std::uint64_t copies) noexcept {
  const auto add = [](std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    if (n != 0) counter.fetch_add(n, std::memory_order_relaxed);
  };
  add(delivered_, result.delivered);
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
  subscriptions_.store(static_cast<std::uint32_t>(next->sharing.size() + next->owning.size()),
                       std::memory_order_relaxed);
  matches_.replace(std::move(next));
  context_->house().stir();  // the registry's task collects the old one
}

}  // namespace takt
