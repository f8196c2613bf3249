// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/rivals.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "takt/graph/context.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/transport/shm/discovery.hpp"
#include "takt/transport/shm/membership.hpp"

namespace takt::sim {
namespace {

constexpr Duration kPatience = std::chrono::seconds{2};

struct Publishers {
  std::vector<shm::Endpoint> found;
  bool complete;  // every process has answered
};

/// As a newcomer sees them, who asks every process.
Publishers publishers_of(const shm::Domain& domain, const std::string& topic) {
  const shm::Membership self(domain);
  const shm::Discovery discovery(domain, *self.lease, {});
  const bool complete = discovery.wait_until_complete(kPatience);
  auto all = discovery.snapshot();
  std::erase_if(all, [&](const shm::Endpoint& one) {
    return one.kind != shm::EndpointKind::publisher || one.topic != topic;
  });
  return {std::move(all), complete};
}

}  // namespace

void refuse_rivals(const Context& context, const std::string& topic, const std::string& node) {
  const auto* host = context.host();
  if (host == nullptr) return;
  auto [found, complete] = publishers_of(host->domain(), topic);
  const auto self = std::ranges::find_if(
      found, [&](const shm::Endpoint& one) { return one.node == node && one.pid == ::getpid(); });
  if (self != found.end()) found.erase(self);
  if (found.empty() && complete) return;
  if (found.empty()) {
    throw RivalError(topic + " may have a source of time already: a process of this domain did not answer");
  }
  throw RivalError(topic + " has a source of time already: " + shm::owner_of(found.front()));
}

}  // namespace takt::sim
