// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/clock_server.hpp"

#include <utility>

#include "takt/sim/clock_messages.hpp"
#include "takt/sim/rivals.hpp"

namespace takt::sim {
namespace {

using takt_msgs::msg::ClockReply;
using takt_msgs::msg::ClockRequest;

constexpr std::size_t kRequests = 64;
constexpr std::size_t kStack = 65'536;

ClockServerOptions completed(ClockServerOptions options) {
  check(options.world);
  if (options.rtf_topic.empty()) options.rtf_topic = options.topic + "/real_time_factor";
  return options;
}

PacingThread::Options pacing_of(const ClockServerOptions& options) {
  ThreadOptions thread;
  thread.name = "clock";
  thread.scheduling = options.scheduling;
  thread.cpus = options.cpus;
  thread.prefault_stack = kStack;
  thread.timer_slack = Duration{1};
  return {options.world, std::move(thread), options.events};
}

}  // namespace

ClockServer::ClockServer(const Context::SharedPtr& context, ClockServerOptions options)
    : options_(completed(std::move(options))),
      node_(std::make_shared<Node>("clock", NodeOptions{.context = context})),
      outputs_(*node_, options_.topic, options_.rtf_topic),
      replies_(node_->create_publisher<ClockReply>(options_.topic + "/reply", kRequests)),
      executor_({.name = "clock requests", .context = context}) {
  if (!options_.force) {
    refuse_rivals(*context, node_->resolve_topic(options_.topic), node_->get_fully_qualified_name());
  }
  pacing_ = std::make_unique<PacingThread>(context->monitor(), outputs_, pacing_of(options_));
  serve();
}

void ClockServer::serve() {
  requests_ = node_->create_subscription<ClockRequest>(
      options_.topic + "/request", kRequests, [this](const ClockRequest& request) {
        const auto read = from_message(request);
        const bool sound = read.refusal == Refusal::none;
        auto outcome = command(sound ? read.command : ClockCommand{});
        if (!sound) outcome.refusal = read.refusal;
        replies_->publish(to_message(outcome, read.command, request.id));
      });
  executor_.add_node(node_);
  thread_ = std::thread([this] { executor_.spin(); });
}

ClockServer::~ClockServer() { stop(); }

void ClockServer::stop() {
  executor_.cancel();
  if (thread_.joinable()) thread_.join();
  pacing_->stop();
}

}  // namespace takt::sim
