// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/deadline_event.hpp"

#include <algorithm>

#include "takt/core/error.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/topic_name.hpp"

namespace takt {
namespace {

std::int32_t as_count(std::uint64_t n) noexcept {
  return static_cast<std::int32_t>(std::min<std::uint64_t>(n, INT32_MAX));
}

/// Not judged: it has no deadline of its own. But its time is on record, and explains what it makes late.
timing::Section& section_of(Context& context, const std::string& node, const std::string& name,
                            const CallbackGroup& group) {
  timing::SectionOptions section;
  section.name = name;
  section.node = short_name_of(node);
  section.kind = timing::SectionKind::event;
  section.group = group.type() == CallbackGroupType::MutuallyExclusive ? group.id() : 0;
  return context.monitor().add(std::move(section));
}

}  // namespace

DeadlineEvent::DeadlineEvent(timing::Monitor& monitor, timing::Section& section,
                             std::shared_ptr<Silence> silence, Callback callback, Newest newest)
    : Executable(monitor, section),
      silence_(std::move(silence)),
      callback_(std::move(callback)),
      newest_(std::move(newest)),
      due_ns_(as_ns(kNever)) {}

SteadyTime DeadlineEvent::due() const noexcept { return SteadyTime{Duration{due_ns_.load()}}; }

void DeadlineEvent::begin(SteadyTime now) noexcept {
  if (silence_->begin(now)) look_again();
}

// What passed before could not have run, as with a timer's slots.
void DeadlineEvent::spin_begins(SteadyTime now) noexcept {
  if (!silence_->begun()) return;  // who begins it says when it is due
  silence_->begin_anew(now);
  due_ns_.store(as_ns(silence_->next_look(SteadyTime::min())));  // the executor asks for due() next
}

void DeadlineEvent::look_again() noexcept {
  look_again_at(silence_->next_look(newest_ ? newest_() : SteadyTime::min()));
}

void DeadlineEvent::look_again_at(SteadyTime time) noexcept {
  due_ns_.store(as_ns(time));
  due_changed();
}

std::optional<timing::Outcome> DeadlineEvent::run(RunContext& context) {
  const auto was_due = due();
  if (silence_->look(context.now, newest_ ? newest_() : SteadyTime::min())) {
    look_again();
  } else {
    look_again_at(context.now + silence_->longest());
  }
  const auto change = silence_->take();
  if (change == 0) return std::nullopt;
  const auto total = total_.fetch_add(change, std::memory_order_relaxed) + change;

  timing::Trigger trigger;
  trigger.release = ClockTime{std::min(was_due, context.now).time_since_epoch()};
  trigger.start = context.now;
  auto activation = context.recorder.begin(section(), trigger);
  try {
    callback_(as_count(total), as_count(change));
  } catch (...) {
    activation.flags |= timing::kThrew;
    context.recorder.end(activation);
    throw;
  }
  return context.recorder.end(activation);
}

DeadlineEventHandle::DeadlineEventHandle(Context& context, const std::string& node, const std::string& name,
                                         Duration longest, CallbackGroup::SharedPtr group,
                                         DeadlineEvent::Callback callback, DeadlineEvent::Newest newest)
    : group_(std::move(group)), silence_(std::make_shared<Silence>(longest)) {
  TAKT_CHECK(group_ != nullptr);
  auto& section = section_of(context, node, name, *group_);
  event_ = std::make_shared<DeadlineEvent>(context.monitor(), section, silence_, std::move(callback),
                                           std::move(newest));
}

void DeadlineEventHandle::leave() noexcept {
  if (!event_) return;
  group_->remove(event_);
  event_.reset();
}

}  // namespace takt
