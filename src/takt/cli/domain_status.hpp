// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "takt/cli/other_users.hpp"
#include "takt/transport/shm/domain.hpp"
#include "takt/transport/shm/inspect.hpp"

namespace takt::cli {

/// A lease in the domain's folder.
struct ProcessStatus {
  std::string lease;     ///< file name
  std::uint64_t id = 0;  ///< the number in it
  pid_t pid = 0;         ///< as the process knew it
  std::string version;   ///< of takt
  std::string command;   ///< empty: not known
  bool alive = false;
  std::optional<double> age_s;
};

struct SegmentFile {
  std::string name;
  std::optional<shm::SegmentStatus> status;  ///< empty: it cannot be read
  std::string fault;                         ///< then: why
};

/// What lies in the domain's folder: the evidence of what runs, what was sent and what became of it.
struct DomainStatus {
  std::uint32_t number = 0;
  std::string folder;
  std::uint64_t memory = 0;  ///< bytes that the files really take
  std::vector<ProcessStatus> processes;
  std::vector<SegmentFile> segments;
  std::optional<std::uint32_t> bells;
  std::uint64_t dead_leases = 0, dead_inboxes = 0, dead_segments = 0;
  std::vector<std::string> foreign;  ///< files of another layout version, or nobody's
  std::vector<OtherUser> other_users;

  std::uint64_t leftovers() const noexcept { return dead_leases + dead_inboxes + dead_segments; }
};

/// Looks only: joins nothing, changes nothing. Errors: SetupError when the folder cannot be read. May block.
DomainStatus look_at(const shm::Domain& domain);

/// Removes what dead processes left. May block.
void remove_leftovers(const shm::Domain& domain);

std::string to_text(const DomainStatus& status);
nlohmann::ordered_json to_json(const DomainStatus& status);

}  // namespace takt::cli
