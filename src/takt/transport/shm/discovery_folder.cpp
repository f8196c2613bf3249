// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/discovery_folder.hpp"

#include <unistd.h>

#include <system_error>

#include "takt/core/lease.hpp"
#include "takt/core/unnamed_file.hpp"

namespace takt::shm {
namespace {

struct Names {
  std::vector<std::string> leases;
  std::vector<std::string> inboxes;  // the leases that they belong to
};

Names names_in(const Domain& domain) {
  Names names;
  std::error_code error;
  std::filesystem::directory_iterator it(domain.path(), error);
  for (; !error && it != std::filesystem::directory_iterator{}; it.increment(error)) {
    const auto name = it->path().filename().string();
    if (Domain::id_of(kLeaseKind, name) != 0) names.leases.push_back(name);
    if (const auto id = Domain::id_of(kInboxKind, name); id != 0) {
      names.inboxes.push_back(Domain::name_of(kLeaseKind, id));
    }
  }
  if (error) throw_system_error("cannot list " + domain.path().string(), error.value());
  return names;
}

}  // namespace

std::filesystem::path inbox_of(const Domain& domain, std::string_view process) {
  const auto id = Domain::id_of(kLeaseKind, process);
  return id == 0 ? std::filesystem::path{} : domain.path() / Domain::name_of(kInboxKind, id);
}

bool process_lives(const Domain& domain, std::string_view process) noexcept {
  return Lease::alive(domain.path() / process);
}

// A lease is there before its inbox and goes after it, and no name is used twice: an inbox whose lease is
// dead or gone is nobody's, whenever the two were looked at.
FolderListing list_folder(const Domain& domain) {
  const auto names = names_in(domain);
  FolderListing listing;
  for (const auto& process : names.inboxes) {
    (process_lives(domain, process) ? listing.living : listing.dead).push_back(process);
  }
  for (const auto& process : names.leases) {
    if (!process_lives(domain, process)) listing.dead.push_back(process);
  }
  return listing;
}

bool reclaim_process(const Domain& domain, const std::string& process) {
  const auto inbox = inbox_of(domain, process);
  if (inbox.empty() || process_lives(domain, process)) return false;
  ::unlink(inbox.c_str());
  return Lease::reclaim(domain.path() / process);
}

}  // namespace takt::shm
