// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/executor.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "takt/graph/callback_group.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executor_core.hpp"
#include "takt/graph/node.hpp"
#include "takt/graph/spin.hpp"

namespace takt {

namespace {

ExecutorOptions checked(ExecutorOptions options) {
  if (options.threads < 1 || options.threads > ExecutorCore::kMaxThreads) {
    throw SetupError("an executor with " + std::to_string(options.threads) + " threads", "use 1 to 64");
  }
  if (!options.context) options.context = default_context();
  return options;
}

void refuse_null(const auto& pointer, const char* function) {
  if (!pointer) throw SetupError(std::string(function) + " was given a null pointer", "give it an object");
}

}  // namespace

Executor::Executor(ExecutorOptions options)
    : options_(checked(std::move(options))),
      core_(options_.context->acquire_core()),
      spin_(std::make_unique<Spin>(core_, options_)) {
  const std::lock_guard lock(options_.context->graph_mutex());
  core_.configure(options_);
}

Executor::~Executor() {
  // exit() in one of its callbacks destroys a static executor under its own feet.
  if (is_spinning() && (Context::process_exits() || core_.called_from_worker())) {
    leave_to_the_kernel();
    return;
  }
  TAKT_CHECK(!is_spinning() && "an executor is destroyed while it spins");
  std::vector<std::shared_ptr<CallbackGroup>> groups;
  std::vector<std::shared_ptr<Node>> nodes;  // let go at the end, without the mutex
  {
    const std::lock_guard lock(options_.context->graph_mutex());
    nodes.swap(nodes_);
    for (const auto& node : nodes) node->executor_ = nullptr;
    groups = groups_here();
  }
  for (const auto& group : groups) remove_callback_group(group);
  children_.clear();
  options_.context->release_core(core_);
}

/// Its workers still use all of it: it stays reachable, and is never freed.
void Executor::leave_to_the_kernel() {
  struct Left {
    std::vector<std::shared_ptr<Node>> nodes;
    std::vector<std::unique_ptr<Executor>> children;
    std::shared_ptr<Context> context;
    std::unique_ptr<Spin> spin;
    Left* next;
  };
  static std::atomic<Left*> all{nullptr};
  auto left = std::make_unique<Left>(Left{std::move(nodes_), std::move(children_),
                                          std::move(options_.context), std::move(spin_), all.load()});
  while (!all.compare_exchange_weak(left->next, left.get())) {
  }
  (void)left.release();
}

void Executor::add_node(const std::shared_ptr<Node>& node) {
  refuse_null(node, "add_node");
  refuse_other_context(*node->context(), "node " + node->get_name());
  const std::lock_guard lock(options_.context->graph_mutex());
  if (node->executor_ != nullptr) {
    throw SetupError(
        "node " + node->get_name() + " is in executor " + node->executor_->options().name + " already",
        "remove it there before it is added to " + options_.name);
  }
  const auto groups = node->callback_groups();
  for (const auto& group : groups) {  // all or nothing
    if (group->automatically_add_to_executor_with_node()) refuse_if_attached(*group);
  }
  for (const auto& group : groups) {
    if (group->automatically_add_to_executor_with_node()) add_callback_group(group);
  }
  node->executor_ = this;
  nodes_.push_back(node);
}

void Executor::add_node(const std::shared_ptr<Node>& node, const ExecutorOptions& own_executor) {
  refuse_null(node, "add_node");
  const std::lock_guard lock(options_.context->graph_mutex());
  child(own_executor).add_node(node);
}

void Executor::remove_node(const std::shared_ptr<Node>& node) {
  refuse_null(node, "remove_node");
  std::vector<std::shared_ptr<CallbackGroup>> groups;
  {
    const std::lock_guard lock(options_.context->graph_mutex());
    if (node->executor_ != this) {
      if (node->executor_ != nullptr && has_child(*node->executor_))
        return node->executor_->remove_node(node);
      throw SetupError("node " + node->get_name() + " is not in executor " + options_.name, "add it first");
    }
    for (const auto& group : node->callback_groups()) {
      if (group->automatically_add_to_executor_with_node()) groups.push_back(group);
    }
    forget(*node);
  }
  for (const auto& group : groups) remove_callback_group(group);
}

void Executor::forget(Node& node) {
  const std::lock_guard lock(options_.context->graph_mutex());
  std::erase_if(nodes_, [&node](const auto& owned) { return owned.get() == &node; });
  node.executor_ = nullptr;
}

void Executor::refuse_if_attached(const CallbackGroup& group) const {
  if (group.core_ == nullptr) return;
  throw SetupError(group.name() + " of node " + group.node_name() + " is in executor " +
                       group.core_->options().name + " already",
                   "remove it there before it is added to " + options_.name);
}

void Executor::refuse_other_context(const Context& context, const std::string& whose) const {
  if (&context == options_.context.get()) return;
  throw SetupError(whose + " belongs to another context than executor " + options_.name,
                   "give both the same context, in their options");
}

void Executor::add_callback_group(const std::shared_ptr<CallbackGroup>& group) {
  refuse_null(group, "add_callback_group");
  refuse_other_context(*group->context_, group->name() + " of node " + group->node_name());
  const std::lock_guard lock(options_.context->graph_mutex());
  refuse_if_attached(*group);
  if (group->options().own_executor && !is_child_) {
    child(*group->options().own_executor).add_callback_group(group);
    return;
  }
  core_.attach(*group);
  group->core_ = &core_;
  groups_.push_back(group);
}

void Executor::remove_callback_group(const std::shared_ptr<CallbackGroup>& group) {
  refuse_null(group, "remove_callback_group");
  std::vector<ReadySlot*> left;
  ExecutorCore* core = nullptr;
  {
    const std::lock_guard lock(options_.context->graph_mutex());
    core = group->core_;
    const auto owner = core == nullptr ? nullptr : owner_of(*core);
    if (owner == nullptr) {
      throw SetupError(
          group->name() + " of node " + group->node_name() + " is not in executor " + options_.name,
          "add it first");
    }
    core->detach(*group, left);
    group->core_ = nullptr;
    std::erase_if(owner->groups_, [&](const auto& weak) { return weak.expired() || weak.lock() == group; });
  }
  core->wait_until_left(left);
}

std::vector<std::shared_ptr<CallbackGroup>> Executor::groups_here() const {
  std::vector<std::shared_ptr<CallbackGroup>> groups;
  for (const auto& weak : groups_) {
    if (auto group = weak.lock(); group && group->core_ == &core_) groups.push_back(std::move(group));
  }
  return groups;
}

Executor* Executor::owner_of(const ExecutorCore& core) {
  if (&core == &core_) return this;
  for (const auto& c : children_) {
    if (&c->core_ == &core) return c.get();
  }
  return nullptr;
}

bool Executor::has_child(const Executor& executor) const {
  return std::any_of(children_.begin(), children_.end(), [&](const auto& c) { return c.get() == &executor; });
}

Executor& Executor::child(ExecutorOptions options) {
  options.context = options_.context;
  auto& executor = *children_.emplace_back(std::make_unique<Executor>(std::move(options)));
  executor.is_child_ = true;
  if (is_spinning()) spin_->start_child(executor);
  return executor;
}

void Executor::spin() {
  std::vector<Executor*> children;
  {
    const std::lock_guard lock(options_.context->graph_mutex());
    for (const auto& c : children_) children.push_back(c.get());
  }
  spin_->run(children);
}

void Executor::spin_some(Duration max_duration) { spin_->some(max_duration, false); }

void Executor::spin_all(Duration max_duration) {
  if (max_duration < Duration::zero())
    throw SetupError("spin_all with a negative duration", "use zero (no limit) or more");
  spin_->some(max_duration, true);
}

void Executor::spin_once(Duration timeout) { spin_->once(timeout); }

FutureReturnCode Executor::spin_until(const std::function<bool()>& done, Duration timeout) {
  return spin_->until(done, timeout);
}

void Executor::cancel() noexcept { core_.stop(); }
bool Executor::is_spinning() const noexcept { return core_.spinning.load(); }
std::string Executor::failed_callback() const { return core_.failed_callback(); }
std::vector<ThreadState> Executor::granted() const { return spin_->granted(); }

void spin(const std::shared_ptr<Node>& node) {
  refuse_null(node, "spin");
  Executor executor({.name = node->get_name(), .context = node->context()});
  executor.add_node(node);
  executor.spin();
}

void spin_some(const std::shared_ptr<Node>& node) {
  refuse_null(node, "spin_some");
  Executor executor({.name = node->get_name(), .context = node->context()});
  executor.add_node(node);
  executor.spin_some();
}

}  // namespace takt
