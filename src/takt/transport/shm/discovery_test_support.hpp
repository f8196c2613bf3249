// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/core/lease.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/discovery.hpp"
#include "takt/transport/shm/discovery_socket.hpp"
#include "takt/transport/shm/endpoint_log.hpp"

namespace takt::shm {

/// An empty base folder of a test, removed at its end.
class DiscoveryFolder {
 public:
  DiscoveryFolder() {
    char pattern[] = "/dev/shm/takt-test-XXXXXX";
    TAKT_CHECK(::mkdtemp(pattern) != nullptr);
    base_ = pattern;
  }
  ~DiscoveryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }
  DiscoveryFolder(const DiscoveryFolder&) = delete;
  DiscoveryFolder& operator=(const DiscoveryFolder&) = delete;

  const std::string& base() const { return base_; }
  Domain domain() const { return Domain::open(base_, 0); }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(domain().path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::string base_;
};

/// Waits for long enough for the slowest machine.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto deadline = SteadyClock::instance()->steady_now() + std::chrono::seconds{60};
  while (!condition()) {
    if (SteadyClock::instance()->steady_now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{200});
  }
  return true;
}

inline Endpoint endpoint_on(const std::string& topic, EndpointKind kind = EndpointKind::publisher) {
  Endpoint endpoint;
  endpoint.kind = kind;
  endpoint.topic = topic;
  endpoint.type_name = "std_msgs/msg/Int32";
  endpoint.node = "/node";
  return endpoint;
}

/// A participant within this process, and what it heard: "+ TOPIC", "- TOPIC left", "- TOPIC died".
class Participant {
 public:
  explicit Participant(const DiscoveryFolder& folder, RemoveSegments remove_segments = {})
      : lease_(Lease::create(folder.domain().path(), Domain::random_name(kLeaseKind))) {
    DiscoveryOwner owner;
    owner.on_appeared = [this](const Endpoint& e) { note("+ " + e.topic, e); };
    owner.on_gone = [this](const Endpoint& e, Departure why) {
      note("- " + e.topic + " " + to_string(why), e);
    };
    owner.remove_segments = std::move(remove_segments);
    discovery_ = std::make_unique<Discovery>(folder.domain(), *lease_, std::move(owner));
  }

  Discovery& operator*() { return *discovery_; }
  Discovery* operator->() { return discovery_.get(); }
  void leave() { discovery_.reset(); }
  std::string process() const { return lease_->path().filename().string(); }

  std::vector<std::string> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  bool has_heard(const std::string& news) const { return count_of(news) > 0; }
  std::ptrdiff_t count_of(const std::string& news) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::count(heard_, news);
  }
  Endpoint last_endpoint() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  void note(std::string news, const Endpoint& endpoint) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(std::move(news));
    last_ = endpoint;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> heard_;
  Endpoint last_;
  std::unique_ptr<Lease> lease_;
  std::unique_ptr<Discovery> discovery_;
};

/// A process of its own, which is told by lines what to do and answers each by one; killed at the end.
class PeerProcess {
 public:
  explicit PeerProcess(const DiscoveryFolder& folder, bool wait_for_it = true,
                       std::string program = TAKT_BIN_DIR "/shm_discovery_peer") {
    int to_peer[2];
    int from_peer[2];
    TAKT_CHECK(::pipe2(to_peer, O_CLOEXEC) == 0 && ::pipe2(from_peer, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to_peer[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from_peer[1], STDOUT_FILENO);
    std::string base = folder.base();
    char* arguments[] = {program.data(), base.data(), nullptr};
    TAKT_CHECK(::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(to_peer[0]);
    ::close(from_peer[1]);
    to_ = ::fdopen(to_peer[1], "w");
    from_ = ::fdopen(from_peer[0], "r");
    if (wait_for_it) lease_ = answer();
  }
  ~PeerProcess() {
    if (pid_ > 0) kill();
    std::fclose(to_);
    std::fclose(from_);
  }
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Gives a command; the answer.
  std::string tell(const std::string& command) {
    std::fprintf(to_, "%s\n", command.c_str());
    std::fflush(to_);
    return command == "quit" ? "" : answer();
  }
  void kill() {
    signal(SIGKILL);
    reap();
  }
  void quit() {
    tell("quit");
    reap();
  }
  void signal(int number) const { TAKT_CHECK(::kill(pid_, number) == 0); }
  /// Stopped for sure, not only about to.
  void stop() const {
    signal(SIGSTOP);
    TAKT_CHECK(::waitpid(pid_, nullptr, WUNTRACED) == pid_);
  }
  pid_t pid() const { return pid_; }
  const std::string& lease() const { return lease_; }

 private:
  std::string answer() {
    char line[512] = "";
    if (std::fgets(line, sizeof line, from_) == nullptr) return "gone";
    std::string text(line);
    text.pop_back();
    return text;
  }
  void reap() {
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::string lease_;
};

}  // namespace takt::shm
