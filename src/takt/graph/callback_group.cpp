// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/callback_group.hpp"

#include <algorithm>

#include "takt/graph/context.hpp"
#include "takt/graph/executor_core.hpp"

namespace takt {

CallbackGroup::CallbackGroup(std::shared_ptr<Context> context, std::string node, CallbackGroupType type,
                             CallbackGroupOptions options)
    : context_(std::move(context)),
      node_(std::move(node)),
      type_(type),
      options_(std::move(options)),
      id_(context_->next_id()),
      state_(context_->acquire_group_state()) {
  if (options_.name.empty()) options_.name = "group " + std::to_string(id_);
}

CallbackGroup::~CallbackGroup() {
  std::vector<ReadySlot*> left;
  ExecutorCore* core = nullptr;
  {
    const std::lock_guard lock(context_->graph_mutex());
    core = core_;
    if (core != nullptr) core->detach(*this, left);
    for (auto& callback : executables_) context_->retire(std::move(callback));
  }
  if (core != nullptr) core->wait_until_left(left);
  context_->release_group_state(state_);
}

bool CallbackGroup::attached() const {
  const std::lock_guard lock(context_->graph_mutex());
  return core_ != nullptr;
}

void CallbackGroup::add(std::shared_ptr<Executable> executable) {
  const std::lock_guard lock(context_->graph_mutex());
  if (core_ != nullptr) core_->attach(*this, executable);
  executables_.push_back(std::move(executable));
}

void CallbackGroup::remove(const std::shared_ptr<Executable>& executable) {
  std::vector<ReadySlot*> left;
  ExecutorCore* core = nullptr;
  {
    const std::lock_guard lock(context_->graph_mutex());
    const auto found = std::find(executables_.begin(), executables_.end(), executable);
    if (found == executables_.end()) return;
    executables_.erase(found);
    core = core_;
    if (core != nullptr) core->detach(*executable, left);
    context_->retire(executable);
  }
  if (core != nullptr) core->wait_until_left(left);
}

}  // namespace takt
