// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/node.hpp"

#include <algorithm>

#include "takt/graph/executor.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/topic_name.hpp"

namespace takt {

Node::Node(const std::string& name, NodeOptions options)
    : name_((check_node_name(name), name)),
      namespace_(check_namespace(options.ns)),
      context_(options.context ? std::move(options.context) : default_context()) {
  CallbackGroupOptions group;
  group.name = "default group of " + name;
  default_group_ = create_callback_group(CallbackGroupType::MutuallyExclusive, std::move(group));
  if (HostLink* host = context_->host()) announced_ = host->add_node(get_fully_qualified_name());
}

Node::Node(const std::string& name, const std::string& ns, NodeOptions options)
    : Node(name, NodeOptions{std::move(options.context), ns}) {}

Node::~Node() {
  if (HostLink* host = context_->host()) host->remove_node(announced_);
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
  return std::make_shared<Timer>(context_, name_, period, std::move(callback), options, std::move(group));
}

}  // namespace takt
