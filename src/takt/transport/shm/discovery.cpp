// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/discovery.hpp"

#include <utility>

#include "takt/transport/shm/discovery_loop.hpp"

namespace takt::shm {

Discovery::Discovery(Domain domain, const Lease& lease, DiscoveryOwner owner)
    : loop_(std::make_unique<Loop>(std::move(domain), lease, std::move(owner))) {}

Discovery::~Discovery() {
  // In a child of a fork there is no thread to end, and any lock may be held for ever: it is left as it is.
  if (!loop_->is_own()) Loop::abandon(std::move(loop_));
}

EndpointId Discovery::add(Endpoint endpoint) { return loop_->add(std::move(endpoint)); }
bool Discovery::remove(EndpointId id) { return loop_->remove(id); }
std::vector<Endpoint> Discovery::snapshot() const { return loop_->snapshot(); }
std::size_t Discovery::peers() const { return loop_->peers(); }
bool Discovery::wait_until_complete(Duration patience) const { return loop_->wait_until_complete(patience); }
DiscoveryCounters Discovery::counters() const noexcept { return loop_->counters(); }

}  // namespace takt::shm
