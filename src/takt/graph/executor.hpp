// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "takt/core/time.hpp"
#include "takt/graph/executor_options.hpp"

namespace takt {

class CallbackGroup;
class Context;
class ExecutorCore;
class Node;
class Spin;

enum class FutureReturnCode : std::uint8_t { SUCCESS, INTERRUPTED, TIMEOUT };

/// A hard deadline was missed and its callback has no miss handler: spin() ends with this.
class DeadlineMissed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs the callbacks of the nodes and groups that are added to it, on one or more threads with the
/// scheduling asked for. Order among ready callbacks: group priority, then since when ready, then
/// registration. Every function may be called from any thread and from inside a callback unless it says
/// otherwise; all but spin and friends may block shortly and allocate.
class Executor {
 public:
  explicit Executor(ExecutorOptions options = {});
  /// Removes everything. While it spins it is a bug, unless the process is about to exit: then nothing is
  /// freed.
  virtual ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Adds the node's groups that are to be added automatically, and those that it makes later. The executor
  /// keeps the node until it is removed. Errors: SetupError when the node, or one of these groups, is in an
  /// executor already (both are named).
  void add_node(const std::shared_ptr<Node>& node);
  /// Gives the node an executor of its own within this one: it spins while this one does, and its exceptions
  /// leave this spin().
  void add_node(const std::shared_ptr<Node>& node, const ExecutorOptions& own_executor);
  void remove_node(const std::shared_ptr<Node>& node);
  void add_callback_group(const std::shared_ptr<CallbackGroup>& group);
  template <class NodeBase>
  void add_callback_group(const std::shared_ptr<CallbackGroup>& group,
                          const NodeBase& /*its node, as in rclcpp*/) {
    add_callback_group(group);
  }
  /// No activation starts after this returns; it waits for running ones unless called from one of this
  /// executor's workers.
  void remove_callback_group(const std::shared_ptr<CallbackGroup>& group);

  /// Runs until cancel(), shutdown of the context or an exception in a callback, which it rethrows unchanged.
  /// The scheduling is applied here and the caller's own put back at the end. Errors: SetupError when it is
  /// refused and required, or when the executor spins already.
  void spin();
  /// Runs what is ready now, each callback at most once, for at most `max_duration` (zero: no limit). Does
  /// not wait.
  void spin_some(Duration max_duration = Duration::zero());
  /// Repeats spin_some until nothing is ready or `max_duration` has passed.
  void spin_all(Duration max_duration);
  /// Runs one callback, waiting for it at most `timeout` (negative: without limit).
  void spin_once(Duration timeout = Duration{-1});
  /// Ends the current spin, or the next one if none is running, as soon as the running callbacks have
  /// returned. Any thread. Real-time: wait-free; one futex wake.
  void cancel() noexcept;
  bool is_spinning() const noexcept;

  /// Runs callbacks until the future is ready. While it waits it looks at the future at least every 5 ms.
  template <class Future>
  FutureReturnCode spin_until_future_complete(const Future& future, Duration timeout = Duration{-1}) {
    return spin_until(
        [&future] { return future.wait_for(std::chrono::seconds{0}) == std::future_status::ready; }, timeout);
  }

  /// The callback whose exception ended the last spin, as "<node>/<name>"; empty if none did.
  std::string failed_callback() const;
  const ExecutorOptions& options() const noexcept { return options_; }
  /// What the kernel granted to each worker of the current or last spin.
  std::vector<ThreadState> granted() const;

 private:
  friend class Node;
  friend class Spin;

  FutureReturnCode spin_until(const std::function<bool()>& done, Duration timeout);
  void forget(Node& node);
  void refuse_if_attached(const CallbackGroup& group) const;
  void refuse_other_context(const Context& context, const std::string& whose) const;
  void leave_to_the_kernel();
  std::vector<std::shared_ptr<CallbackGroup>> groups_here() const;
  Executor* owner_of(const ExecutorCore& core);
  bool has_child(const Executor& executor) const;
  Executor& child(ExecutorOptions options);

  ExecutorOptions options_;
  ExecutorCore& core_;
  std::unique_ptr<Spin> spin_;
  // Guarded by the context's graph mutex:
  std::vector<std::shared_ptr<Node>> nodes_;
  std::vector<std::weak_ptr<CallbackGroup>> groups_;
  std::vector<std::unique_ptr<Executor>>
      children_;  ///< own executors of groups and nodes: spin while this one does
  bool is_child_ = false;
};

/// Spins the node in an executor of its own until shutdown.
void spin(const std::shared_ptr<Node>& node);
void spin_some(const std::shared_ptr<Node>& node);

}  // namespace takt
