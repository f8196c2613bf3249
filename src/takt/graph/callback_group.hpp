// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "takt/graph/executor_options.hpp"
#include "takt/graph/group_state.hpp"

namespace takt {

class Context;
class Executable;
class ExecutorCore;
class Executor;

/// mutually_exclusive: at most one callback of the group runs at a time. reentrant: any number, also of the
/// same callback.
enum class CallbackGroupType : std::uint8_t { MutuallyExclusive, Reentrant };

struct CallbackGroupOptions {
  bool automatically_add = true;  ///< attach it to the executor that its node is added to
  int priority = 0;               ///< ready callbacks of a higher one run first in the same executor
  std::string name{};             ///< default: "group <n>"
  /// Give the group an executor of its own: it starts and ends with the spin() of the executor that holds the
  /// node, and its exceptions leave that spin().
  std::optional<ExecutorOptions> own_executor{};
};

/// The unit that is attached to an executor. Made by Node::create_callback_group; belongs to one executor at
/// a time.
class CallbackGroup {
 public:
  using SharedPtr = std::shared_ptr<CallbackGroup>;
  using WeakPtr = std::weak_ptr<CallbackGroup>;

  CallbackGroup(std::shared_ptr<Context> context, std::string node, CallbackGroupType type,
                CallbackGroupOptions options);
  ~CallbackGroup();
  CallbackGroup(const CallbackGroup&) = delete;
  CallbackGroup& operator=(const CallbackGroup&) = delete;

  CallbackGroupType type() const noexcept { return type_; }
  const CallbackGroupOptions& options() const noexcept { return options_; }
  const std::string& name() const noexcept { return options_.name; }
  const std::string& node_name() const noexcept { return node_; }
  bool automatically_add_to_executor_with_node() const noexcept { return options_.automatically_add; }
  bool attached() const;
  /// Unique in the context; sections of a mutually exclusive group carry it.
  std::uint32_t id() const noexcept { return id_; }

  /// Adds a callback; it is attached at once if the group is. Any thread; may block, may allocate.
  void add(std::shared_ptr<Executable> executable);
  /// No activation starts afterwards; waits for a running one unless called from a worker of its executor.
  /// Any thread.
  void remove(const std::shared_ptr<Executable>& executable);

 private:
  friend class Executor;
  friend class ExecutorCore;

  const std::shared_ptr<Context> context_;
  const std::string node_;
  const CallbackGroupType type_;
  CallbackGroupOptions options_;
  const std::uint32_t id_;
  // Guarded by the context's graph mutex:
  std::vector<std::shared_ptr<Executable>> executables_;
  ExecutorCore* core_ = nullptr;
  GroupState& state_;
};

}  // namespace takt
