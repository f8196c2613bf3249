// SPDX-License-Identifier: Apache-2.0
// For the tests of a graph across processes: one of the processes, told by lines on standard input what to
// do.
//
//   takt_graph_peer FOLDER
//   advertise · say COUNT · talk PERIOD_US · hear DEPTH · hear_text · state · fork HOW · reap PID · quit
//
// The topic is /value, of std_msgs/msg/Int64: 1, 2, 3 and so on. Each command is answered by one line.
#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pause and SIGKILL are POSIX
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>
#include <sstream>
#include <std_msgs/msg/int64.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <thread>

#include "takt/core/steady_clock.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/node.hpp"

namespace {

using std_msgs::msg::Int64;
using std_msgs::msg::String;

class Peer : public takt::Node {
 public:
  Peer() : Node("peer") {}
  ~Peer() override {
    talking_ = false;
    if (talker_.joinable()) talker_.join();
  }

  void advertise() { publisher_ = create_publisher<Int64>("value", 10); }
  void say(std::uint64_t count) {
    for (; count > 0; --count) say_one();
  }
  void talk(std::chrono::microseconds period) {
    talking_ = true;
    talker_ = std::thread([this, period] {
      while (talking_.load()) {
        say_one();
        takt::SteadyClock::instance()->sleep_for(period);
      }
    });
  }
  void hear(std::size_t depth) {
    subscription_ = create_subscription<Int64>(
        "value", depth, [this](std::shared_ptr<const Int64> message) { keep(std::move(message)); });
  }
  void hear_text() {
    text_subscription_ = create_subscription<String>("value", 10, [this](const String&) { ++heard_; });
  }
  std::string state();

 private:
  void say_one() {
    if (publisher_->publish(int64_of(said_ + 1)).host != takt::shm::Refusal::none) ++failed_;
    ++said_;  // afterwards: who is killed has sent what it counted
  }
  static Int64 int64_of(std::uint64_t value) {
    Int64 message;
    message.data = static_cast<std::int64_t>(value);
    return message;
  }
  /// The last ones are held in the publisher's memory: who dies, dies with them.
  void keep(std::shared_ptr<const Int64> message) {
    const auto value = static_cast<std::uint64_t>(message->data);
    if (value <= last_) ++disorder_;
    last_ = value;
    kept_.push_back(std::move(message));
    if (kept_.size() > 3) kept_.pop_front();
    ++heard_;
  }

  takt::Publisher<Int64>::SharedPtr publisher_;
  takt::Subscription<Int64>::SharedPtr subscription_;
  takt::Subscription<String>::SharedPtr text_subscription_;
  std::atomic<bool> talking_{false};
  std::thread talker_;
  std::atomic<std::uint64_t> said_{0}, failed_{0}, heard_{0}, last_{0}, disorder_{0};
  std::deque<std::shared_ptr<const Int64>> kept_;
};

std::string Peer::state() {
  std::ostringstream out;
  out << "said " << said_ << " failed " << failed_ << " heard " << heard_ << " last " << last_ << " disorder "
      << disorder_;
  if (publisher_) {
    out << " subscriptions " << publisher_->get_subscription_count() << " unmatched "
        << publisher_->incompatible();
  }
  if (subscription_) {
    const auto counters = subscription_->counters();
    out << " lost " << counters.lost << " malformed " << counters.malformed << " publishers "
        << subscription_->get_publisher_count() << " activations " << subscription_->section().activations();
  }
  if (text_subscription_) out << " incompatible " << text_subscription_->incompatible();
  return out.str();
}

/// Fork handlers do not run: for a while the child holds what it should let go of.
pid_t fork_without_handlers() {
  const auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child != 0) return child;
  ::usleep(300'000);
  ::_exit(0);
}

/// `how`: pause, exit, exec or late. Its process id.
std::string fork_one(const std::string& how, char** argv) {
  if (how == "late") return std::to_string(fork_without_handlers());
  const auto child = ::fork();
  if (child != 0) return std::to_string(child);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  if (how == "exec") ::execl(argv[0], argv[0], argv[1], static_cast<char*>(nullptr));
  if (how == "exit") std::exit(5);  // NOLINT(concurrency-mt-unsafe): has one thread
  ::pause();
  ::_exit(6);
}

std::string reap(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return "no child";
  return WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::to_string(WTERMSIG(status));
}

std::string obey(Peer& peer, const std::string& line, char** argv) {
  std::istringstream words(line);
  std::string verb;
  std::string what;
  words >> verb >> what;
  if (verb == "state") return peer.state();
  if (verb == "fork") return fork_one(what, argv);
  if (verb == "reap") return reap(std::stoi(what));
  if (verb == "advertise") {
    peer.advertise();
  } else if (verb == "say") {
    peer.say(std::stoul(what));
  } else if (verb == "talk") {
    peer.talk(std::chrono::microseconds{std::stol(what)});
  } else if (verb == "hear") {
    peer.hear(std::stoul(what));
  } else if (verb == "hear_text") {
    peer.hear_text();
  } else {
    return "?";
  }
  return "done";
}

void serve(char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // not left behind by a test that is ended
  takt::InitOptions options;
  options.verdict = takt::timing::VerdictFormat::off;
  options.discovery = takt::DiscoveryRange::localhost;
  options.shm_folder = argv[1];
  options.domain_id = 0;
  takt::init(0, nullptr, options);
  const auto peer = std::make_shared<Peer>();
  takt::Executor executor;
  executor.add_node(peer);
  std::thread spinning([&] { executor.spin(); });
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    std::cout << obey(*peer, line, argv) << std::endl;
  }
  takt::shutdown();
  spinning.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    serve(argv);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 3;
  }
}
