// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/timer.hpp"

#include "takt/graph/context.hpp"
#include "takt/graph/timer_executable.hpp"

namespace takt {

namespace {

timing::Section& make_section(Context& context, const std::string& node, Duration period, const Clock& clock,
                              const TimerOptions& options, const CallbackGroup& group) {
  timing::SectionOptions section;
  static_cast<DeadlineOptions&>(section) = options.deadline;
  section.name = options.name.empty() ? "timer_" + std::to_string(context.next_id()) : options.name;
  section.node = node;
  section.kind = timing::SectionKind::timer;
  section.clock = clock.kind();
  section.period = period;
  section.overrun = options.overrun;
  section.group = group.type() == CallbackGroupType::MutuallyExclusive ? group.id() : 0;
  return context.monitor().add(std::move(section));
}

}  // namespace

Timer::Timer(const std::shared_ptr<Context>& context, const std::string& node, Duration period,
             Callback callback, const TimerOptions& options, CallbackGroup::SharedPtr group)
    : group_(std::move(group)) {
  checked_period(period, options.allow_zero_period);
  if (!callback) throw SetupError("the callback of a timer is empty", "give it a function");
  auto clock = options.clock;
  TAKT_CHECK(clock != nullptr);  // Node::create_timer gives it
  auto& section = make_section(*context, node, period, *clock, options, *group_);
  executable_ = std::make_shared<TimerExecutable>(context->monitor(), section, period, options,
                                                  std::move(clock), std::move(callback));
  if (RosTime* time = executable_->listens_to()) time->add(executable_);
  group_->add(executable_);
}

Timer::~Timer() {
  cancel();
  if (RosTime* time = executable_->listens_to()) time->remove(*executable_);
  group_->remove(executable_);
}

void Timer::cancel() noexcept { executable_->cancel(); }
bool Timer::is_canceled() const noexcept { return executable_->cancelled(); }
void Timer::reset() noexcept { executable_->reset(); }
void Timer::set_period(Duration period) {
  executable_->set_period(checked_period(period, executable_->always_ready()));
}
Duration Timer::period() const noexcept { return executable_->period(); }
Duration Timer::time_until_trigger() const noexcept { return executable_->time_until_trigger(); }
bool Timer::is_ready() const noexcept { return time_until_trigger() <= Duration::zero(); }
const timing::Section& Timer::section() const noexcept { return executable_->section(); }

}  // namespace takt
