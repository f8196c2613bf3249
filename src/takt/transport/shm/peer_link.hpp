// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "takt/core/time.hpp"
#include "takt/transport/shm/discovery_socket.hpp"
#include "takt/transport/shm/endpoint_log.hpp"
#include "takt/transport/shm/peer.hpp"

namespace takt::shm {

/// What discovery's thread holds of one peer. Only that thread uses it; other threads may read `view` under
/// the lock under which it is changed.
struct PeerLink {
  static constexpr Duration kFirstPatience = std::chrono::milliseconds{50};
  static constexpr Duration kLongestPatience = std::chrono::seconds{2};

  std::uint64_t number = 0;  // from 1 on; names it in epoll; never used twice
  std::string process;
  std::filesystem::path inbox;

  PeerView view;           // what it told us
  EndpointLog::Told told;  // what we told it
  bool ask = false;        // the next datagram to it asks for its state

  bool identified = false;  // a first datagram has come, so the next two are known
  pid_t pid = 0;
  Descriptor
      pidfd;  // none: it is of another PID namespace, or no descriptor was left; its lease is looked at

  std::optional<DiscoveryOutlet> full;  // while its inbox is: epoll says when it has room
  SteadyTime retry = kNever;            // when to look after it without being told
  Duration patience = kFirstPatience;

  std::uint64_t death_tag() const noexcept { return 2 * number; }
  std::uint64_t room_tag() const noexcept { return 2 * number + 1; }

  void look_after(SteadyTime now) { retry = std::min(retry, now + patience); }
};

}  // namespace takt::shm
