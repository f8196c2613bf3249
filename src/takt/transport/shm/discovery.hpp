// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "takt/core/lease.hpp"
#include "takt/core/time.hpp"
#include "takt/transport/shm/discovery_folder.hpp"
#include "takt/transport/shm/domain.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt::shm {

/// Called on discovery's own thread, one call at a time, an endpoint's on_appeared before its on_gone. They
/// may call add(), remove() and the other functions of Discovery, but not destroy it. While one runs nothing
/// is discovered, so they should be short. What they throw is logged and counted.
struct DiscoveryOwner {
  std::function<void(const Endpoint&)> on_appeared;  ///< of another process
  std::function<void(const Endpoint&, Departure)> on_gone;
  RemoveSegments remove_segments;  ///< called when a process died, and once at the beginning
};

struct DiscoveryCounters {
  std::uint64_t sent = 0;           ///< datagrams
  std::uint64_t not_sent = 0;       ///< for lack of descriptors or memory; tried again
  std::uint64_t received = 0;       ///< datagrams, with those that were not taken
  std::uint64_t inbox_full = 0;     ///< how often a peer had no room; it is told as soon as it has
  std::uint64_t asked_again = 0;    ///< something was missing, or an answer did not come
  std::uint64_t malformed = 0;      ///< not taken: no announcement
  std::uint64_t other_version = 0;  ///< not taken: from another version of takt
  std::uint64_t other_user = 0;     ///< not taken: from another user
  std::uint64_t wrong_process = 0;  ///< not taken: under the name of another process
  std::uint64_t late = 0;           ///< not taken: from a process that has ended
  std::uint64_t beyond_limit = 0;   ///< endpoints of peers beyond 65,536, which are not known
  std::uint64_t reclaimed = 0;      ///< dead processes whose leftovers were removed here
  std::uint64_t owner_errors = 0;   ///< exceptions of the owner's functions
};

/// Lets the processes of a domain know each other's endpoints, without a daemon and without a clock: a
/// newcomer tells all who have an inbox in the domain's folder and asks them; a change is told to all; that a
/// process died is what the kernel says (a process descriptor, its lease). Runs one ordinary thread, which
/// sleeps while nothing changes. The protocol is specified in docs/formats/shm-discovery.md.
///
/// In a child of fork() all functions are forbidden but the destructor, which does nothing there.
class Discovery {
 public:
  /// Others can find this process from here on; `lease` is of kind kLeaseKind, in this domain, and outlives
  /// the object. One object per lease at a time. Errors: SetupError. May block and allocate.
  Discovery(Domain domain, const Lease& lease, DiscoveryOwner owner);
  /// Says farewell to all; waits at most kFarewell for those whose inbox is full, who learn it later as a
  /// death or when they next send. No function of the owner is called any more, and none for the endpoints
  /// still known.
  ~Discovery();
  Discovery(const Discovery&) = delete;
  Discovery& operator=(const Discovery&) = delete;

  static constexpr Duration kFarewell = std::chrono::milliseconds{100};

  /// Announces an endpoint of this process; what it refers to (segment, bell row) must be there already. Any
  /// thread; may block shortly and allocate. Errors: SetupError for names that are too long, or too many.
  EndpointId add(Endpoint endpoint);
  /// Takes it back. False: it is not there (any more). Any thread; may block shortly and allocate.
  bool remove(EndpointId id);

  /// Every endpoint known now, this process's own included. Any thread; may block shortly, allocates.
  std::vector<Endpoint> snapshot() const;
  /// How many other processes are known. Any thread; may block shortly.
  std::size_t peers() const;
  /// Waits until every process found so far has told all its endpoints (and the owner has been called); false
  /// after `patience`, for instance when one is stopped. Not from the owner's functions. May block.
  bool wait_until_complete(Duration patience) const;

  DiscoveryCounters counters() const noexcept;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace takt::shm
