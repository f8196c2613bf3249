// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "takt/core/clock.hpp"
#include "takt/graph/discovery_range.hpp"
#include "takt/graph/executor_options.hpp"
#include "takt/graph/group_state.hpp"
#include "takt/timing/deadline.hpp"
#include "takt/timing/monitor.hpp"

namespace takt {

class Executable;
class ExecutorCore;
class HostLink;
class RosTime;
class TimeSource;
class TopicRegistry;

struct InitOptions {
  bool handle_signals =
      true;  ///< SIGINT and SIGTERM end every spin() normally; a second one ends the process at once
  /// Verdicts on stderr when the program ends. Also --takt-verdict=text|json|off and TAKT_VERDICT (the
  /// argument wins).
  timing::VerdictFormat verdict = timing::VerdictFormat::text;
  std::ostream* verdict_stream = nullptr;   ///< default: stderr
  std::shared_ptr<MonotonicClock> clock{};  ///< default: the steady clock; a virtual one makes a run exact
  std::uint32_t last_misses = 16;           ///< kept of each callback, with their causes, for its verdict
  /// Under a clock of its own (above) a context is alone in any case.
  DiscoveryRange discovery = DiscoveryRange::environment;
  std::string shm_folder{};  ///< of the host's shared memory; empty: TAKT_SHM_DIR, else /dev/shm/takt-<uid>
  std::optional<std::uint32_t> domain_id{};  ///< default: ROS_DOMAIN_ID, else 0
  /// For nodes that do not say otherwise. Also --takt-use-sim-time, and `--ros-args -p use_sim_time:=true`.
  bool use_sim_time = false;
  /// Of the thread that receives /clock for the nodes on simulated time: a control loop with real-time
  /// priority wants it above its own. Its name, and one thread, are given.
  ExecutorOptions clock_thread{};
};

/// What the nodes and executors of a program share: whether it is to go on, its clock, its topics, its
/// timing. Any thread. Set-up functions may block and allocate. A child of fork() may exec, exit() or be
/// ended by a signal; it may not use a context of its parent, nor destroy it or what belongs to it.
class Context : public std::enable_shared_from_this<Context> {
 public:
  using SharedPtr = std::shared_ptr<Context>;

  static SharedPtr make(InitOptions options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  bool ok() const noexcept;
  /// Ends every spin() and runs the shutdown callbacks, once; then, when no executor spins any more, prints
  /// the verdicts once.
  void shutdown(const std::string& reason = "shutdown");
  std::string shutdown_reason() const;
  void on_shutdown(std::function<void()> callback);

  timing::Monitor& monitor() noexcept { return *monitor_; }
  const std::shared_ptr<MonotonicClock>& clock() const noexcept { return clock_; }
  TopicRegistry& topics() noexcept { return *topics_; }
  /// Its place among the processes of the host; null: it looks for none.
  HostLink* host() const noexcept { return host_.get(); }
  const InitOptions& options() const noexcept { return options_; }
  /// The receiver of /clock of all nodes that want a thread for it; `node` is said to be the subscriber where
  /// it is made. May block, may allocate.
  std::shared_ptr<TimeSource> time_source(const std::string& node);
  /// Its sleepers wake at the shutdown.
  void add(const std::shared_ptr<RosTime>& time);

  /// The chain's latency runs from the first start to the last finish. `from` and `to` are callback names as
  /// the verdicts show them.
  timing::Section& add_chain(const std::string& name, const std::string& from, const std::string& to,
                             Deadline deadline);
  std::vector<timing::Verdict> verdicts() { return monitor_->verdicts(); }

  /// Guards the structure of the graph: who belongs to which executor. Never held while a callback runs.
  std::recursive_mutex& graph_mutex() noexcept { return graph_mutex_; }
  House& house() noexcept { return House::of_process(); }
  /// Drops the reference later, on the house thread, and closes its section. Not on the real-time path.
  void retire(std::shared_ptr<Executable> callback);

  /// exit() has been called: threads that spin go on until the kernel ends them. Wait-free.
  static bool process_exits() noexcept;
  /// For the exit of the process: runs the shutdown callbacks and prints the verdicts, whoever still spins.
  void end_with_process() noexcept;

  /// Unique numbers for groups, publishers and unnamed callbacks.
  std::uint32_t next_id() noexcept { return ids_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  friend class ExecutorCore;
  explicit Context(InitOptions options);
  void print_verdicts();
  bool house_round();
  bool let_go_of_retired();
  bool close_sections();
  void stop_handling_signals() noexcept;
  void end_times() noexcept;

 public:
  /// For Executor: a core that nobody uses, and its return.
  GroupState& acquire_group_state();
  void release_group_state(GroupState& state);
  ExecutorCore& acquire_core();
  void release_core(ExecutorCore& core);
  void executor_started() noexcept { spinning_.fetch_add(1); }
  /// The last executor that stops after the shutdown prints the verdicts.
  void executor_stopped();

 private:
  InitOptions options_;
  std::shared_ptr<MonotonicClock> clock_;
  std::unique_ptr<timing::Monitor> monitor_;
  std::unique_ptr<HostLink> host_;
  std::unique_ptr<TopicRegistry> topics_;
  std::recursive_mutex graph_mutex_;
  std::atomic<std::uint32_t> ids_{0};
  std::atomic<bool> ok_{true};
  std::atomic<std::uint32_t> signalled_{0};
  std::atomic<int> spinning_{0};
  std::atomic<bool> printed_{false};
  mutable std::mutex shutdown_mutex_;  // guards reason_, on_shutdown_
  std::string reason_;
  std::vector<std::function<void()>> on_shutdown_;
  std::atomic<bool> handles_signals_{false};
  std::mutex retired_mutex_;  // guards retired_
  std::vector<std::shared_ptr<Executable>> retired_;
  std::mutex time_mutex_;  // guards the next two
  std::weak_ptr<TimeSource> time_source_;
  std::vector<std::weak_ptr<RosTime>> times_;
  struct Closing {
    timing::Section* section;
    SteadyTime since;
  };
  std::vector<Closing> closing_;  // house thread: sections whose callbacks are gone
  // Executor cores are never freed before the context: a late notify() may still reach one. Guarded by
  // graph_mutex_.
  std::vector<std::unique_ptr<ExecutorCore>> cores_;
  std::vector<ExecutorCore*> free_cores_;
  std::deque<GroupState> group_states_;  // as the cores: reused, never freed
  std::vector<GroupState*> free_group_states_;
  std::unique_ptr<House::Registration> house_task_;  // last: its task uses the above
};

/// Makes the default context. Errors: SetupError for an unknown --takt- argument or value, or when it exists
/// already.
void init(int argc, const char* const* argv, InitOptions options = {});
/// Ends the default context: every spin() returns and the verdicts are printed.
void shutdown(const std::string& reason = "shutdown");
bool ok() noexcept;
/// Errors: SetupError when init() has not been called.
Context::SharedPtr default_context();

}  // namespace takt
