// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "takt/transport/shm/domain.hpp"

namespace takt::shm {

/// A process's files in the domain's folder bear the number of its lease: lease-<16 hex>, inbox-<16 hex>.
inline constexpr std::string_view kLeaseKind = "lease";
inline constexpr std::string_view kInboxKind = "inbox";

/// Removes segments of dead processes: those named, which one announced, or, when none is named, all in the
/// folder. It has to make sure that they are a dead one's, since it takes a process's word for the names; and
/// it may run several times and in several processes for the same ones.
using RemoveSegments = std::function<void(const Domain& domain, const std::vector<std::string>& names)>;

/// The inbox of the process whose lease has this name; empty if that is no name of a lease.
std::filesystem::path inbox_of(const Domain& domain, std::string_view process);
bool process_lives(const Domain& domain, std::string_view process) noexcept;

struct FolderListing {
  std::vector<std::string> living;  ///< processes that have an inbox
  std::vector<std::string> dead;    ///< processes that left an inbox or a lease
};
/// Errors: SetupError when the folder cannot be read. May block.
FolderListing list_folder(const Domain& domain);

/// Removes a dead process's inbox, and its lease at last: one who is killed meanwhile leaves the rest to the
/// next. True for one of those who try at the same time; false too when it lives, and nothing is removed
/// then. May block.
bool reclaim_process(const Domain& domain, const std::string& process);

}  // namespace takt::shm
