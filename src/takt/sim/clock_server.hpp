// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <takt_msgs/msg/clock_reply.hpp>
#include <takt_msgs/msg/clock_request.hpp>
#include <thread>
#include <vector>

#include "takt/graph/context.hpp"
#include "takt/graph/executor.hpp"
#include "takt/sim/pacing_thread.hpp"

namespace takt::sim {

struct ClockServerOptions {
  std::string topic = "/clock";
  std::string rtf_topic{};  ///< default: <topic>/real_time_factor. Isaac Sim leaves the name to its user
  WorldOptions world{};
  Scheduling scheduling{};   ///< of the pacing thread
  std::vector<int> cpus{};   ///< of the pacing thread; empty: anywhere
  std::uint32_t events = 0;  ///< room for events that take_event() gives; 0: none
  bool force = false;        ///< beside another source of time
};

/// The source of simulated time of a domain. Publishes <topic> (rosgraph_msgs/Clock) at every iteration, also
/// while paused, and <topic>/statistics; answers <topic>/request on <topic>/reply (docs/formats/clock.md).
/// Node: "/clock". It has a pacing thread and an ordinary one for requests. Functions: any thread; may block
/// and allocate.
class ClockServer {
 public:
  /// Errors: SetupError for options that cannot be, and scheduling that is refused; RivalError when the topic
  /// has, or may have, another publisher (unless `force`).
  explicit ClockServer(const Context::SharedPtr& context, ClockServerOptions options = {});
  /// Ends.
  ~ClockServer();
  ClockServer(const ClockServer&) = delete;
  ClockServer& operator=(const ClockServer&) = delete;

  /// As a request does.
  ClockOutcome command(const ClockCommand& command) { return pacing_->command(command); }
  ClockStatus status() { return pacing_->command({}).status; }
  /// Publishes no more; status() stays. One thread at a time.
  void stop();

  /// The oldest one not taken. One thread.
  std::optional<ClockEvent> take_event() noexcept { return pacing_->take_event(); }
  std::uint64_t lost_events() const noexcept { return pacing_->lost_events(); }
  /// Of clock/tick: whether each iteration ended within a wall step of its target. One for each factor that
  /// the clock had; none of running flat out.
  std::vector<timing::Verdict> verdicts() { return pacing_->verdicts(); }
  const ThreadState& granted() const noexcept { return pacing_->granted(); }
  const ClockServerOptions& options() const noexcept { return options_; }

 private:
  void serve();

  const ClockServerOptions options_;
  Node::SharedPtr node_;
  ClockOutputs outputs_;
  std::unique_ptr<PacingThread> pacing_;
  Publisher<takt_msgs::msg::ClockReply>::SharedPtr replies_;
  Subscription<takt_msgs::msg::ClockRequest>::SharedPtr requests_;
  Executor executor_;
  std::thread thread_;
};

}  // namespace takt::sim
