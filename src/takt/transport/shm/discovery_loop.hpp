// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "takt/core/log.hpp"
#include "takt/transport/shm/discovery.hpp"
#include "takt/transport/shm/discovery_socket.hpp"
#include "takt/transport/shm/endpoint_log.hpp"
#include "takt/transport/shm/peer_link.hpp"

namespace takt::shm {

/// Discovery's thread and what it works on.
class Discovery::Loop {
 public:
  Loop(Domain domain, const Lease& lease, DiscoveryOwner owner);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // From any thread:
  EndpointId add(Endpoint endpoint);
  bool remove(EndpointId id);
  std::vector<Endpoint> snapshot() const;
  std::size_t peers() const;
  bool wait_until_complete(Duration patience) const;
  DiscoveryCounters counters() const noexcept;
  /// Whether this is the process that made it, and not a child of a fork.
  bool is_own() const noexcept;
  /// Keeps it for ever (and reachable, so that no checker takes it for lost).
  static void abandon(std::unique_ptr<Loop> loop) noexcept;

 private:
  using Counter = std::atomic<std::uint64_t>;
  struct Counters {
    Counter sent, not_sent, received, inbox_full, asked_again, malformed, other_version, other_user,
        wrong_process, late, beyond_limit, reclaimed, owner_errors;
  };
  using Peers = std::map<std::string, PeerLink, std::less<>>;

  void start_thread(FolderListing found);
  void wake() noexcept;
  // All below: on the thread.
  void run(const FolderListing& found);
  void introduce(const FolderListing& found);
  void wait_and_handle();
  int timeout_ms() const;
  void handle(std::uint64_t tag);
  void report();
  void set_complete();
  void call(const std::function<void()>& function) noexcept;
  void say_farewell();

  void receive_all();
  void not_understood(const std::string& what, Counter& counter);
  void hear(Announcement announcement, pid_t pid);
  void hear_update(PeerLink& peer, Announcement& update);
  void note_progress(PeerLink& peer, bool gap);
  bool identify(PeerLink& peer, pid_t pid);
  void watch(PeerLink& peer);

  PeerLink& meet(const std::string& process);
  PeerLink* find(std::uint64_t number);
  std::vector<std::string> part(PeerLink& peer, Departure reason);
  void bury(PeerLink& peer);
  void clear_away(const std::vector<std::string>& dead, const std::vector<std::string>& segments);
  void clear_leftovers();
  void go_on_telling(PeerLink& peer);
  void look_after(PeerLink& peer, SteadyTime time);
  void look_after_all();

  void tell_all();
  void tell(PeerLink& peer);
  Sent tell_next(PeerLink& peer, std::optional<DiscoveryOutlet>& outlet, bool& more);
  void wait_for_room(PeerLink& peer, DiscoveryOutlet outlet);
  void handle_refusal(PeerLink& peer);

  const Domain domain_;
  const DiscoveryOwner owner_;
  const std::string process_;
  const std::uint32_t fork_generation_;
  DiscoveryInbox inbox_;
  Descriptor epoll_;
  Descriptor alarm_;  // an eventfd: endpoints have changed, or stop
  std::atomic<bool> stop_{false};
  std::atomic<std::uint32_t> complete_{0};  // 1: every peer has told everything
  Counters counters_{};

  mutable std::mutex mutex_;  // guards log_; peers_ and their views against other threads, which only read
  EndpointLog log_;
  Peers peers_;

  // The thread's own:
  std::map<std::uint64_t, std::string> process_of_;  // by number
  std::uint64_t last_number_ = 0;
  std::vector<std::function<void()>> news_;  // what the owner has still to be told
  /// Processes that are dead though their lease is still held: by a forked child that has not let go of it
  /// yet.
  struct Leftover {
    SteadyTime again;
    Duration patience;
  };
  std::map<std::string, Leftover> leftovers_;
  log::Every complaints_{std::chrono::seconds{1}};

  Loop* abandoned_before_ = nullptr;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace takt::shm
