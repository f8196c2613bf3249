// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "takt/core/lease.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/discovery_folder.hpp"
#include "takt/transport/shm/domain.hpp"

namespace takt::shm {

/// What a process has in a domain before it says anything: a lease by which others know that it lives, and
/// the bells. To be made after a fork, once in each process.
struct Membership {
  /// Errors: SetupError. May block.
  explicit Membership(Domain joined)
      : domain(std::move(joined)),
        lease(Lease::create(domain.path(), Domain::random_name(kLeaseKind))),
        id(Domain::id_of(kLeaseKind, lease->path().filename().string())),
        bells(Bells::open(domain, id)) {}

  Domain domain;
  std::unique_ptr<Lease> lease;
  std::uint64_t id;  ///< of the lease
  std::shared_ptr<Bells> bells;
};

}  // namespace takt::shm
