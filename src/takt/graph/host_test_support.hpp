// SPDX-License-Identifier: Apache-2.0
// For tests of a graph that reaches beyond its process: contexts that meet in a folder of the test's own, and
// processes that are told what to do (host_peer_main.cpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <std_msgs/msg/int64.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "takt/core/log.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/node.hpp"
#include "takt/transport/shm/discovery_test_support.hpp"

namespace takt::testing {

using shm::comes_true;
using std_msgs::msg::Int64;
using std_msgs::msg::String;

inline Context::SharedPtr host_context(const std::string& folder) {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  options.discovery = DiscoveryRange::localhost;
  options.shm_folder = folder;
  options.domain_id = 0;
  return Context::make(std::move(options));
}

inline Node::SharedPtr host_node(const Context::SharedPtr& context, const std::string& name) {
  return std::make_shared<Node>(name, NodeOptions{.context = context});
}

inline Int64 int64_of(std::int64_t value) {
  Int64 message;
  message.data = value;
  return message;
}

inline String string_of(std::size_t size, char filled_with = 'x') {
  String message;
  message.data.assign(size, filled_with);
  return message;
}

/// Lines of the log, meanwhile.
class LogLines {
 public:
  LogLines() {
    log::set_sink(
        [](log::Level, std::string_view line, void* user) {
          auto& self = *static_cast<LogLines*>(user);
          const std::lock_guard lock(self.mutex_);
          self.text_ += line;
        },
        this);
  }
  ~LogLines() { log::set_sink(nullptr, nullptr); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  bool says(const std::string& text) {
    log::flush();
    const std::lock_guard lock(mutex_);
    return text_.find(text) != std::string::npos;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

/// An executor that spins a node in a thread of its own.
class Spinning {
 public:
  explicit Spinning(const Node::SharedPtr& node, ExecutorOptions options = {})
      : executor_(with_context(std::move(options), node)) {
    executor_.add_node(node);
    thread_ = std::thread([this] { executor_.spin(); });
  }
  ~Spinning() {
    executor_.cancel();
    thread_.join();
  }
  Spinning(const Spinning&) = delete;
  Spinning& operator=(const Spinning&) = delete;

 private:
  static ExecutorOptions with_context(ExecutorOptions options, const Node::SharedPtr& node) {
    options.context = node->context();
    return options;
  }
  Executor executor_;
  std::thread thread_;
};

/// A process with a node, a publisher and a subscription of its own (takt_graph_peer).
class GraphPeer : public shm::PeerProcess {
 public:
  explicit GraphPeer(const shm::DiscoveryFolder& folder, bool wait_for_it = true)
      : PeerProcess(folder, wait_for_it, TAKT_BIN_DIR "/takt_graph_peer") {}

  /// The counters that it knows, by name: see `state` in host_peer_main.cpp.
  std::uint64_t state(const std::string& name) {
    std::istringstream words(tell("state"));
    std::map<std::string, std::uint64_t> numbers;
    std::string key;
    std::uint64_t value = 0;
    while (words >> key >> value) numbers[key] = value;
    return numbers.at(name);
  }
};

}  // namespace takt::testing
