// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/discovery.hpp"
#include "takt/transport/shm/membership.hpp"

namespace takt::cli {

/// A command's place among the processes of its domain: it is one of them, found by and finding the others.
class HostSession {
 public:
  /// How long the answer of another process is waited for: a stopped one never gives it.
  static constexpr Duration kPatience = std::chrono::seconds{2};

  /// Errors: SetupError. May block.
  HostSession();

  const shm::Domain& domain() const noexcept { return self_.domain; }
  std::uint64_t lease_id() const noexcept { return self_.id; }
  const std::shared_ptr<shm::Bells>& bells() const noexcept { return self_.bells; }
  /// Rung by the writers that are read, and whenever an endpoint comes or goes.
  shm::Bells::Bell& bell() noexcept { return *bell_; }
  shm::Discovery& discovery() noexcept { return *discovery_; }
  /// Of this command, hidden because its last part begins with an underscore: "/_takt_4711".
  const std::string& node() const noexcept { return node_; }

  /// Endpoints of all other processes that are known now, sorted by topic, node and process.
  std::vector<shm::Endpoint> endpoints() const;
  /// As endpoints(), once all processes have answered; those that did not within kPatience are missing.
  std::vector<shm::Endpoint> complete_endpoints();
  /// Moves whenever an endpoint comes or goes, before the bell is rung.
  std::uint32_t changes() const noexcept { return changes_.load(); }

  /// What this command cannot see, in words: processes that do not answer, of another version, of others.
  std::vector<std::string> shortcomings() const;

 private:
  void changed() noexcept;

  shm::Membership self_;
  std::string node_;
  std::unique_ptr<shm::Bells::Bell> bell_;
  std::atomic<std::uint32_t> changes_{0};
  bool answered_ = true;
  std::unique_ptr<shm::Discovery> discovery_;  // last: its thread uses the rest
};

}  // namespace takt::cli
