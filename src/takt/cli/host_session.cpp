// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/host_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "takt/cli/other_users.hpp"
#include "takt/transport/shm/sweep.hpp"

namespace takt::cli {

HostSession::HostSession()
    : self_(shm::Domain::open()), node_(fmt::format("/_takt_{}", ::getpid())), bell_(self_.bells->claim(0)) {
  shm::DiscoveryOwner owner;
  owner.on_appeared = [this](const shm::Endpoint&) { changed(); };
  owner.on_gone = [this](const shm::Endpoint&, shm::Departure) { changed(); };
  owner.remove_segments = [this](const shm::Domain& domain, const auto&) {
    shm::sweep(domain);
    self_.bells->reclaim();
  };
  discovery_ = std::make_unique<shm::Discovery>(self_.domain, *self_.lease, std::move(owner));
}

void HostSession::changed() noexcept {
  changes_.fetch_add(1);
  self_.bells->ring(bell_->index());
}

std::vector<shm::Endpoint> HostSession::endpoints() const {
  auto all = discovery_->snapshot();
  const auto self = self_.lease->path().filename().string();
  std::erase_if(all, [&](const shm::Endpoint& one) { return one.process == self; });
  std::ranges::sort(all, {}, [](const shm::Endpoint& one) {
    return std::tuple(one.topic, one.node, one.process, one.generation);
  });
  return all;
}

std::vector<shm::Endpoint> HostSession::complete_endpoints() {
  answered_ = discovery_->wait_until_complete(kPatience);
  return endpoints();
}

std::vector<std::string> HostSession::shortcomings() const {
  std::vector<std::string> said;
  if (!answered_) {
    said.push_back(fmt::format("a process did not answer within {} (stopped?); what it has is missing here",
                               takt::to_string(kPatience)));
  }
  if (const auto other = discovery_->counters().other_version; other > 0) {
    said.emplace_back(
        "processes of another version of takt are in this domain; what they have is missing here");
  }
  for (const auto& user : other_users(self_.domain.number())) said.push_back(in_words(user));
  return said;
}

}  // namespace takt::cli
