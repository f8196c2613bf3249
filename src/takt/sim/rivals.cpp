// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/rivals.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/transport/shm/discovery.hpp"
#include "takt/transport/shm/membership.hpp"

namespace takt::sim {
namespace {

constexpr Duration kPatience = std::chrono::seconds{2};

/// As a newcomer sees them, who asks every process.
std::vector<shm::Endpoint> publishers_of(const shm::Domain& domain, const std::string& topic) {
  const shm::Membership self(domain);
  const shm::Discovery discovery(domain, *self.lease, {});
  discovery.wait_until_complete(kPatience);
  auto all = discovery.snapshot();
  std::erase_if(all, [&](const shm::Endpoint& one) {
    return one.kind != shm::EndpointKind::publisher || one.topic != topic;
  });
  return all;
}

}  // namespace

void refuse_rivals(const Context& context, const std::string& topic, const std::string& node) {
  const auto* host = context.host();
  if (host == nullptr) return;
  auto found = publishers_of(host->domain(), topic);
  const auto self = std::ranges::find_if(
      found, [&](const shm::Endpoint& one) { return one.node == node && one.pid == ::getpid(); });
  if (self != found.end()) found.erase(self);
  if (found.empty()) return;
  throw SetupError(topic + " has a source of time already: " + shm::owner_of(found.front()),
                   "end that one, or give this one another topic, or --force two (readers then see both)");
}

}  // namespace takt::sim
