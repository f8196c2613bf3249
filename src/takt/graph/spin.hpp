// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/executor_core.hpp"

namespace takt {

/// What a worker of such an executor asks of the kernel; without a name.
ThreadOptions thread_options_of(const ExecutorOptions& options);
/// The kernel has no thread left for `whose` ("executor control").
SetupError no_thread_left(const std::string& whose, const std::system_error& error);

/// The threads of an executor: the spin family. One spin at a time.
class Spin {
 public:
  Spin(ExecutorCore& core, const ExecutorOptions& options) : core_(core), options_(options) {}

  void run(const std::vector<Executor*>& children);
  void some(Duration max_duration, bool exhaustive);
  void once(Duration timeout);
  FutureReturnCode until(const std::function<bool()>& done, Duration timeout);

  /// While run() is at work: spins a child that was added meanwhile. The caller holds the graph mutex.
  void start_child(Executor& child);
  std::vector<ThreadState> granted() const;

 private:
  class Session;  // marks the executor as spinning

  bool start_thread(const std::function<void()>& start);
  void work(std::size_t index);
  void loop(Worker& worker);
  timing::Recorder& callers_recorder();
  ThreadOptions thread_options(std::size_t index) const;
  void keep_granted(std::size_t index, const ThreadState& state);

  ExecutorCore& core_;
  const ExecutorOptions options_;
  std::unique_ptr<timing::Recorder> recorder_;  // of the thread that calls spin_some and spin_once
  std::thread::id recorder_thread_;
  std::mutex children_mutex_;  // guards children_ and accepting_
  struct Child {
    Executor* executor;
    std::thread thread;
  };
  std::vector<Child> children_;
  bool accepting_ = false;
  mutable std::mutex granted_mutex_;  // guards granted_
  std::vector<ThreadState> granted_;
};

}  // namespace takt
