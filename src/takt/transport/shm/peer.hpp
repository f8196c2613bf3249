// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "takt/transport/shm/announcement.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt::shm {

/// What this process knows of another one's endpoints: applies its announcements in whatever order, number
/// and repetition they come. Invariant: the endpoints are exactly those that the peer had at generation
/// known(). No thread safety. Allocates.
class PeerView {
 public:
  struct News {
    std::vector<Endpoint> appeared;
    std::vector<Endpoint> gone;
    bool gap = false;              ///< something is missing: ask the peer for its state
    std::size_t beyond_limit = 0;  ///< endpoints beyond EndpointLog::kMaxEndpoints, which were not taken
  };

  /// `announcement` is an update.
  News apply(const Announcement& announcement);
  /// Everything is gone; as if nothing had been heard.
  std::vector<Endpoint> clear();

  std::uint64_t session() const noexcept { return session_; }
  /// Up to which generation everything is known; 0: nothing.
  std::uint64_t known() const noexcept { return known_; }
  /// The newest generation that was heard of.
  std::uint64_t latest() const noexcept { return latest_; }
  bool complete() const noexcept { return known_ != 0 && known_ >= latest_; }
  const std::map<EndpointId, Endpoint>& endpoints() const noexcept { return endpoints_; }

 private:
  using Endpoints = std::map<EndpointId, Endpoint>;
  void apply_delta(const Announcement& delta, News& news);
  void apply_part(const Announcement& part, News& news);
  void replace(Endpoints fresh, News& news);

  std::uint64_t session_ = 0;
  std::uint64_t known_ = 0;
  std::uint64_t latest_ = 0;
  Endpoints endpoints_;
  Endpoints assembly_;           // a whole state of several datagrams, so far
  std::uint64_t assembled_ = 0;  // up to this generation; 0: none is being assembled
};

}  // namespace takt::shm
