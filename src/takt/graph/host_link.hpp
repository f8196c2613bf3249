// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "takt/core/house.hpp"
#include "takt/graph/outlet.hpp"
#include "takt/graph/publisher_base.hpp"
#include "takt/graph/subscription_base.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/discovery.hpp"
#include "takt/transport/shm/domain.hpp"
#include "takt/transport/shm/membership.hpp"

namespace takt {

/// A context's place among the processes of its host: the others' publishers and subscriptions are matched
/// with its own, over shared memory. Set-up functions: any thread, may block and allocate.
class HostLink {
 public:
  struct Options {
    std::string folder;  ///< of the shared memory; empty: TAKT_SHM_DIR, else /dev/shm/takt-<uid>
    std::optional<std::uint32_t> domain;  ///< unset: ROS_DOMAIN_ID, else 0
  };
  /// Errors: SetupError when the folder cannot be used.
  explicit HostLink(const Options& options);
  ~HostLink();
  HostLink(const HostLink&) = delete;
  HostLink& operator=(const HostLink&) = delete;

  /// What an executor sleeps on. Errors: SetupError when the host has no bell left.
  std::unique_ptr<shm::Bells::Bell> claim_bell() { return self_.bells->claim(0); }
  /// Rung for subscriptions that no executor has.
  std::uint32_t bell_of_nobody() const noexcept { return nobody_->index(); }

  /// What a publisher's segment has room for.
  struct Room {
    std::size_t largest = 0;  ///< bytes of a message; 0: as large as messages can be
    std::size_t reserved = 0;
    std::uint32_t readers = 0;
  };
  /// A publisher's end towards other processes, not known to them yet. Errors: SetupError.
  std::unique_ptr<Outlet> make_outlet(const PublisherBase& publisher, const Room& room);

  /// From here on others find it. Errors: SetupError.
  void add(PublisherBase& publisher);
  void add(const std::shared_ptr<SubscriptionBase>& subscription);
  shm::EndpointId add_node(const std::string& full_name);
  void remove(PublisherBase& publisher) noexcept;
  void remove(const std::shared_ptr<SubscriptionBase>& subscription) noexcept;
  void remove_node(shm::EndpointId id) noexcept;

  /// Waits until every process that was found has told what it has; false after `patience`.
  bool wait_until_complete(Duration patience) const { return discovery_->wait_until_complete(patience); }
  const shm::Domain& domain() const noexcept { return self_.domain; }

 private:
  struct LocalPublisher {
    PublisherBase* publisher;
    shm::Endpoint endpoint;
  };
  struct LocalSubscription {
    std::shared_ptr<SubscriptionBase> subscription;
    shm::Endpoint endpoint;
  };
  struct Topic {
    std::vector<LocalPublisher> publishers;
    std::vector<LocalSubscription> subscriptions;
    std::vector<shm::Endpoint> remote;  ///< both kinds, of other processes
  };

  /// A subscription and a publisher that it could not read: for want of descriptors, say.
  struct Unread {
    LocalSubscription here;
    shm::Endpoint there;
    int tries;
    SteadyTime next;
  };

  // Under the mutex:
  void match(const LocalPublisher& here, const shm::Endpoint& there, int change);
  void match(const LocalSubscription& here, const shm::Endpoint& there);
  void part(const LocalSubscription& here, const shm::Endpoint& there) noexcept;
  void attach(const LocalSubscription& here, const shm::Endpoint& there);
  bool try_to_attach(const LocalSubscription& here, const shm::Endpoint& there, const char* complaint);
  bool read_the_unread();
  void forget_if_empty(const std::string& topic);

  void on_appeared(const shm::Endpoint& there);
  void on_gone(const shm::Endpoint& there, shm::Departure how);
  void clean_up_after_a_death();
  bool serve();  // house

  House& house_;
  shm::Membership self_;
  std::unique_ptr<shm::Bells::Bell> nobody_;
  std::atomic<std::uint64_t> publishers_{0};
  std::mutex mutex_;  // guards topics_ and unread_; no other lock of the graph is taken under it but those of
                      // an InletSet
  std::map<std::string, Topic, std::less<>> topics_;
  std::vector<Unread> unread_;
  std::unique_ptr<shm::Discovery> discovery_;
  std::unique_ptr<House::Registration> house_task_;  // last: its task uses all of the above
};

}  // namespace takt
