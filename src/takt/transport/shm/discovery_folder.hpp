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

/// Removes what else a dead process left (its segments). It may be called twice for one process, by several
/// processes at once, and has to be harmless then.
using RemoveLeftovers = std::function<void(const Domain& domain, const std::string& dead_process)>;

/// The inbox of the process whose lease has this name; empty if that is no name of a lease.
std::filesystem::path inbox_of(const Domain& domain, std::string_view process);
bool process_lives(const Domain& domain, std::string_view process) noexcept;

/// Who is there, and how many dead ones were cleared away.
struct FolderListing {
  std::vector<std::string> living;  ///< processes that have an inbox
  std::size_t reclaimed = 0;
};

/// Removes what a dead process left, its lease at last: one who is killed meanwhile leaves the rest to the
/// next. True for one of those who try at the same time; false too when it lives. May block.
bool reclaim_process(const Domain& domain, const std::string& process, const RemoveLeftovers& others);

/// Lists the folder and reclaims the dead. Errors: SetupError when it cannot be read. May block.
FolderListing list_folder(const Domain& domain, const RemoveLeftovers& others);

}  // namespace takt::shm
