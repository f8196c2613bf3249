// SPDX-License-Identifier: Apache-2.0
// The verbs that talk to a clock that runs.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "lab/common/errors.hpp"
#include "takt/cli/clock_verbs.hpp"
#include "takt/cli/clock_words.hpp"
#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/node.hpp"
#include "takt/sim/clock_messages.hpp"

namespace takt::cli {
namespace {

using takt_msgs::msg::ClockReply;
using takt_msgs::msg::ClockRequest;

constexpr Duration kPatience = std::chrono::seconds{2};
constexpr Duration kLook = std::chrono::milliseconds{1};
constexpr Duration kWaitLook = std::chrono::milliseconds{20};

SteadyTime ask_now() { return SteadyClock::instance()->steady_now(); }

/// This command's line to a clock.
class ClockLine {
 public:
  /// Errors: SetupError when there is no clock, or it does not listen.
  explicit ClockLine(const std::string& topic)
      : topic_(topic),
        node_(std::make_shared<Node>(fmt::format("_takt_{}", ::getpid()), NodeOptions{.context = context_})),
        replies_(node_->create_subscription<ClockReply>(topic + "/reply", kDepth,
                                                        [this](const ClockReply& reply) { take(reply); })),
        requests_(node_->create_publisher<ClockRequest>(topic + "/request", kDepth)) {
    executor_.add_node(node_);
    const bool all_answered = context_->host()->wait_until_complete(kPatience);
    if (replies_->get_publisher_count() == 0) throw_no_clock(all_answered);
    const auto deadline = ask_now() + kPatience;
    while (requests_->get_subscription_count() == 0) {
      if (ask_now() >= deadline) throw_silent();
      std::this_thread::sleep_for(kLook);
    }
  }

  /// Errors: SetupError without an answer, or when it is a refusal.
  sim::ClockStatus ask(const sim::ClockCommand& command) {
    asked_ = shm::Domain::id_of("request", shm::Domain::random_name("request"));
    answer_.reset();
    requests_->publish(sim::to_message(command, asked_));
    const auto deadline = ask_now() + kPatience;
    while (!answer_) {
      const auto left = deadline - ask_now();
      if (left <= Duration::zero()) throw_silent();
      executor_.spin_once(left);
    }
    if (!answer_->accepted) throw SetupError("the clock on " + topic_ + " refused: " + answer_->text);
    return sim::from_message(*answer_);
  }

 private:
  static constexpr std::size_t kDepth = 64;

  [[noreturn]] void throw_no_clock(bool all_answered) const {
    if (all_answered) throw SetupError("no clock runs on " + topic_, "start one with: takt clock");
    throw SetupError(
        fmt::format("no clock that answers runs on {}; a process of this domain, which may be one, "
                    "did not answer within {} s",
                    topic_, kPatience / std::chrono::seconds{1}),
        "let it go on if it is stopped (kill -CONT), or end it; `takt status` names the processes");
  }

  void take(const ClockReply& reply) {
    if (reply.id == asked_) answer_ = reply;
  }
  [[noreturn]] void throw_silent() const {
    throw SetupError(fmt::format("the clock on {} did not answer within {} (stopped?)", topic_,
                                 takt::to_string(kPatience)));
  }

  const std::string topic_;
  Context::SharedPtr context_ = clock_context();
  Node::SharedPtr node_;
  Subscription<ClockReply>::SharedPtr replies_;
  Publisher<ClockRequest>::SharedPtr requests_;
  std::uint64_t asked_ = 0;
  std::optional<ClockReply> answer_;
  Executor executor_{{.context = context_}};
};

}  // namespace

int ask_clock(const std::string& topic, const ClockQuestion& question, lab::Console& console) {
  ClockLine line(topic);
  auto status = line.ask(question.command);
  while (question.wait && status.state != sim::WorldState::paused) {
    std::this_thread::sleep_for(kWaitLook);
    status = line.ask({});
  }
  nlohmann::ordered_json report = {{"report", "state"}, {"topic", topic}};
  report.update(to_json(status));
  console.json_line(report);
  console.print(state_in_words(status));
  if (question.command.kind == sim::ClockCommand::Kind::status) console.print(factors_in_words(status));
  return lab::kDone;
}

}  // namespace takt::cli
