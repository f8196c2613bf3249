// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "lab/common/console.hpp"
#include "takt/cli/host_session.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt::cli {

/// Other ends of a topic that do not fit to a publisher of this command: each is named once, with the reason.
class Misfits {
 public:
  Misfits(HostSession& session, lab::Console& console, const shm::Endpoint& publisher)
      : session_(session), console_(console), publisher_(publisher) {}

  /// Errors: SetupError, which names the type of the topic, when it has ends and all of them have another
  /// one.
  void refuse_another_type() const;
  /// Says what has come since the last time. Cheap where nothing has.
  void look();

 private:
  HostSession& session_;
  lab::Console& console_;
  const shm::Endpoint& publisher_;
  std::set<shm::EndpointId> said_;
  bool looked_ = false;
  std::uint32_t changes_seen_ = 0;
};

}  // namespace takt::cli
