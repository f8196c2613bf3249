// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/node.hpp"

#include <algorithm>

#include "takt/core/steady_clock.hpp"
#include "takt/core/system_clock.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/time_source.hpp"
#include "takt/graph/topic_name.hpp"

namespace takt {

namespace {

/// Where time is a given clock's, there is no calendar beside it.
std::shared_ptr<Clock> calendar_of(const Context& context) {
  if (context.clock() == SteadyClock::instance()) return SystemClock::instance();
  return context.clock();
}

}  // namespace

Node::Node(const std::string& name, NodeOptions options)
    : name_((check_node_name(name), name)),
      namespace_(check_namespace(options.ns)),
      context_(options.context ? std::move(options.context) : default_context()),
      clock_thread_(options.clock_thread),
      time_(std::make_shared<RosTime>(context_->clock())),
      clock_(std::make_shared<RosClock>(time_, calendar_of(*context_))),
      timer_clock_(std::make_shared<RosClock>(time_, context_->clock())) {
  CallbackGroupOptions group;
  group.name = "default group of " + name;
  default_group_ = create_callback_group(CallbackGroupType::MutuallyExclusive, std::move(group));
  context_->add(time_);
  if (options.use_sim_time.value_or(context_->options().use_sim_time)) set_use_sim_time(true);
  if (HostLink* host = context_->host()) announced_ = host->add_node(get_fully_qualified_name());
}

Node::Node(const std::string& name, const std::string& ns, NodeOptions options)
    : Node(name, [&] {
        options.ns = ns;
        return std::move(options);
      }()) {}

Node::~Node() {
  if (source_) source_->leave(*time_);
  if (HostLink* host = context_->host()) host->remove_node(announced_);
}

void Node::set_use_sim_time(bool on) {
  time_->refuse_in_jump_callback();  // this thread, or who waits for it, may hold the mutex already
  const std::lock_guard lock(source_mutex_);
  if (on == (source_ != nullptr)) return;
  if (on) {
    const auto name = get_fully_qualified_name();
    source_ = clock_thread_ == ClockThread::own ? context_->time_source(name)
                                                : TimeSource::in_group(context_, name, default_group_);
    time_->set_active(true);
    source_->feed(time_, name);
  } else {
    time_->set_active(false);
    source_->leave(*time_);
    source_.reset();
  }
}

std::string Node::get_fully_qualified_name() const { return namespace_ + "/" + name_; }

std::string Node::resolve_topic(const std::string& topic) const {
  return resolve_topic_name(topic, namespace_, name_);
}

CallbackGroup::SharedPtr Node::create_callback_group(CallbackGroupType type,
                                                     bool automatically_add_to_executor_with_node) {
  CallbackGroupOptions options;
  options.automatically_add = automatically_add_to_executor_with_node;
  return create_callback_group(type, std::move(options));
}

CallbackGroup::SharedPtr Node::create_callback_group(CallbackGroupType type, CallbackGroupOptions options) {
  auto group = std::make_shared<CallbackGroup>(context_, name_, type, std::move(options));
  const std::lock_guard lock(context_->graph_mutex());
  groups_.push_back(group);
  if (executor_ != nullptr && group->automatically_add_to_executor_with_node())
    executor_->add_callback_group(group);
  return group;
}

std::vector<CallbackGroup::SharedPtr> Node::callback_groups() const {
  const std::lock_guard lock(context_->graph_mutex());
  std::vector<CallbackGroup::SharedPtr> alive;
  std::erase_if(groups_, [&](const CallbackGroup::WeakPtr& weak) {
    auto group = weak.lock();
    if (group) alive.push_back(std::move(group));
    return weak.expired();
  });
  return alive;
}

Timer::SharedPtr Node::make_timer(Duration period, Timer::Callback callback, const TimerOptions& options) {
  auto group = options.group ? options.group : default_group_;
  auto placed = options;
  if (!placed.clock) placed.clock = timer_clock_;
  return std::make_shared<Timer>(context_, name_, period, std::move(callback), placed, std::move(group));
}

}  // namespace takt
