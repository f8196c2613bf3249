// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "takt/transport/shm/announcement.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt::shm {

/// The endpoints of this process, and what others have to be told of them. Nothing is queued per peer: what a
/// peer still lacks follows from the generation up to which it was told, so a peer that does not read costs
/// no memory. No thread safety. Allocates.
class EndpointLog {
 public:
  static constexpr std::size_t kMaxEndpoints = 65'536;
  /// So many removals are remembered; a peer that lacks more is told the whole state anew.
  static constexpr std::size_t kRemovalsKept = 1024;

  /// How much of the log a peer has been told.
  struct Told {
    std::uint64_t upto = 0;  ///< 0: nothing
    bool snapshot = false;   ///< within a whole state of several datagrams
  };

  /// `random` makes session and ids unique.
  EndpointLog(std::string process, pid_t pid, std::uint64_t random);

  /// Gives it its id and generation. Errors: SetupError for what does not fit the format, or too many.
  const Endpoint& add(Endpoint endpoint);
  /// False: there is no such endpoint (any more).
  bool remove(EndpointId id);

  std::uint64_t generation() const noexcept { return generation_; }
  std::vector<Endpoint> all() const;

  /// The next datagram for a peer, and moves `told` on; empty when it has been told everything. With `ask`
  /// set the datagram asks for the peer's state (and there always is one). Undo by restoring `told`.
  std::optional<std::vector<std::byte>> next(Told& told, bool ask) const;
  std::vector<std::byte> farewell() const;

 private:
  Announcement header() const;
  std::uint64_t write_changes(AnnouncementWriter& writer, std::uint64_t base) const;

  std::string process_;
  pid_t pid_;
  std::uint64_t session_;
  EndpointId last_id_;
  std::uint64_t generation_ = 1;
  std::uint64_t forgotten_ = 0;                    // removals up to this generation are not remembered
  std::map<std::uint64_t, EndpointChange> alive_;  // by generation
  std::unordered_map<EndpointId, std::uint64_t> generation_of_;
  std::deque<EndpointChange> removals_;  // ascending
};

}  // namespace takt::shm
