// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/subscription.hpp"

#include "takt/graph/context.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/topic_name.hpp"
#include "takt/graph/topic_registry.hpp"

namespace takt {

timing::Section& SubscriptionHandle::make_section(const std::string& node, const std::string& topic,
                                                  const TopicType& type, const SubscriptionOptions& options,
                                                  const CallbackGroup& group) {
  context_->topics().check_type(
      topic, type, short_name_of(node));  // before the section, which stays in the verdicts for good
  timing::SectionOptions section;
  static_cast<DeadlineOptions&>(section) = options.deadline;
  section.name = options.name.empty() ? topic.substr(1) : options.name;  // it begins with a slash
  section.node = short_name_of(node);
  section.kind = timing::SectionKind::subscription;
  section.group = group.type() == CallbackGroupType::MutuallyExclusive ? group.id() : 0;
  return monitor().add(std::move(section));
}

timing::Monitor& SubscriptionHandle::monitor() const noexcept { return context_->monitor(); }

const timing::Section& SubscriptionHandle::section() const noexcept {
  TAKT_CHECK(executable_ != nullptr);
  return executable_->section();
}

void SubscriptionHandle::make_events(const std::shared_ptr<SubscriptionBase>& base,
                                     const SubscriptionOptions& options,
                                     const CallbackGroup::SharedPtr& group) {
  const auto& callback = options.event_callbacks.deadline_callback;
  const auto deadline = base->qos().deadline();
  if (!callback || deadline == Duration::max()) return;
  context_->topics().check_type(base->topic(), base->type(), base->node());  // before there is a section
  const auto name = options.name.empty() ? base->topic().substr(1) : options.name;
  deadline_event_ = DeadlineEventHandle(
      *context_, base->node(), name + " requested deadline", deadline, group,
      [callback](auto total, auto change) {
        QOSDeadlineRequestedInfo info{total, change};
        callback(info);
      },
      [base] { return base->inlets().newest(); });
  base->watch_with(deadline_event_);
}

void SubscriptionHandle::enter(std::shared_ptr<SubscriptionBase> base) {
  context_->topics().add(base);
  if (HostLink* host = context_->host(); host != nullptr && base->type().hash != shm::TypeHash{}) {
    try {
      host->add(base);
    } catch (...) {
      context_->topics().remove(base);
      throw;
    }
  }
  base_ = std::move(base);
  deadline_event_.enter();
}

void SubscriptionHandle::enter(std::shared_ptr<SubscriptionBase> base, std::shared_ptr<Executable> executable,
                               CallbackGroup::SharedPtr group) {
  enter(std::move(base));
  executable_ = std::move(executable);
  group_ = std::move(group);
  group_->add(executable_);
}

SubscriptionHandle::~SubscriptionHandle() {
  deadline_event_.leave();
  if (base_) {
    if (HostLink* host = context_->host()) host->remove(base_);
    context_->topics().remove(base_);
  }
  if (!executable_) return;
  group_->remove(executable_);  // the context closes its section
}

void SubscriptionHandle::inherit(const timing::Origin& origin) noexcept {
  if (auto* activation = timing::current_activation()) {
    activation->origin = timing::Origin::oldest(activation->origin, origin);
  }
}

}  // namespace takt
