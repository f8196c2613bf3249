// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "lab/comm/leftovers.hpp"
#include "lab/comm/processes.hpp"
#include "lab/comm/shared_stage.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/private_folder.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

SteadyTime now() { return SteadyClock::instance()->steady_now(); }

}  // namespace

/// Looks after the processes of a session.
class Session::Ends {
 public:
  Ends(const StackFacts& stack, const Round& round)
      : folder_("comm"), stage_(round), program_(runner_of(stack).string()) {
    std::ranges::copy(folder_.path().string(), stage_->folder.begin());
  }

  ~Ends() {
    processes_.signal_all(SIGCONT);
    stage_.end();
    processes_.wait_for_all(well_ ? 3s : 500ms);
    if (processes_.any()) leftovers_.remove_at_end();  // who does not end is killed
  }

  RoundResult run() {
    result_ = {};
    begin_round();
    const auto sending = Duration{stage_->round.period_ns} * (stage_->round.samples + stage_->round.warmup);
    const auto set_up = patience_for(stage_->round);
    if (started() &&
        wait_for(Stage::kMeasuring, set_up + sending,
                 fmt::format("its ends did not find each other within {:.0f} s", to_seconds(set_up)))) {
      take_usage(-1);
      if (wait_for(Stage::kSent, sending + 20s, "its sender did not come to an end")) {
        drain();
        take_usage(1);
        collect();
      }
    }
    well_ = result_.ran();
    return std::move(result_);
  }

  void stop() { processes_.signal_all(SIGSTOP); }

 private:
  void begin_round() {
    stage_.clear();
    if (sender_ != 0) {
      processes_.signal_all(SIGCONT);
      std::this_thread::sleep_for(20ms);  // they have looked what happened meanwhile
    }
    stage_.begin_turn();
  }

  /// False when a process cannot be started: the result says why.
  bool started() {
    if (sender_ != 0) return true;
    const auto descriptor = std::to_string(stage_.descriptor());
    try {
      for (std::uint32_t i = 0; i < stage_->round.readers; ++i)
        readers_.push_back(processes_.start(program_, {"reader", std::to_string(i), descriptor}));
      sender_ = processes_.start(program_, {"sender", descriptor});
    } catch (const SetupError& error) {
      result_.unsupported = error.what();
    }
    return sender_ != 0;
  }

  /// False when it will not come to that: the result says why.
  bool wait_for(Stage::Phase phase, Duration patience, const std::string& otherwise) {
    const auto end = now() + patience;
    for (;;) {
      const auto seen = stage_->phase.load();
      if (seen >= phase) return true;
      if (stop_waiting(end, otherwise)) return false;
      futex::wait_shared(stage_->phase, seen, now() + 50ms);
    }
  }

  bool stop_waiting(SteadyTime end, const std::string& otherwise) {
    result_.interrupted = Interrupt::requested();
    auto failure = processes_.failure();
    if (stage_->reason_taken.load() && !failure.empty()) {
      std::this_thread::sleep_for(5ms);  // its words are whole
      result_.unsupported = stage_->reason.data();
    } else if (!failure.empty()) {
      result_.failed = std::move(failure);
    } else if (now() > end) {
      result_.failed = otherwise;
    }
    return !result_.ran();
  }

  /// Messages may still be on their way.
  void drain() {
    const auto all = std::uint64_t{stage_->sent.load()} * stage_->round.readers;
    const auto end = now() + 2s;
    auto known = stage_.received();
    for (auto quiet_since = now(); known < all && now() < end && now() < quiet_since + 100ms;) {
      std::this_thread::sleep_for(5ms);
      const auto count = stage_.received();
      if (count != known) quiet_since = now();
      known = count;
    }
    if (auto failure = processes_.failure(); !failure.empty()) result_.failed = std::move(failure);
  }

  void take_usage(int sign) {
    const auto sender = usage_of(sender_);
    result_.publisher_cpu += sign * sender.cpu;
    result_.rss_kib = sender.rss_kib;
    for (const auto pid : readers_) {
      const auto reader = usage_of(pid);
      result_.subscriber_cpu += sign * reader.cpu;
      result_.rss_kib += reader.rss_kib;
    }
  }

  void collect() {
    result_.sent = stage_->sent.load();
    result_.sending = Duration{stage_->sending_ns.load()};
    const auto costs = stage_->publish_us().first(result_.sent);
    result_.publish_us.assign(costs.begin(), costs.end());
    for (std::size_t i = 0; i < stage_->round.readers; ++i) {
      const auto row = stage_->latency_us(i).first(stage_->counts[i].load());
      result_.latency_us.emplace_back(row.begin(), row.end());
    }
  }

  PrivateFolder folder_;
  Leftovers leftovers_;
  SharedStage stage_;
  std::string program_;
  Processes processes_;
  pid_t sender_ = 0;
  std::vector<pid_t> readers_;
  RoundResult result_;
  bool well_ = false;
};

std::uint64_t RoundResult::received() const {
  std::uint64_t count = 0;
  for (const auto& reader : latency_us) count += reader.size();
  return count;
}

Session::Session(const StackFacts& stack, Round round) {
  round.poll = stack.poll;
  ends_ = std::make_unique<Ends>(stack, round);
}

Session::~Session() = default;

Duration patience_for(const Round& round) { return 10s + 50ms * round.readers; }

RoundResult Session::run() { return ends_->run(); }
void Session::stop() { ends_->stop(); }

}  // namespace takt::lab::comm
