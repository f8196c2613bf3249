// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/sweep.hpp"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/core/lease.hpp"
#include "takt/transport/shm/reader.hpp"

namespace takt::shm {
namespace {

std::vector<std::filesystem::path> files_of_kind(const Domain& domain, std::string_view kind) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(domain.path(), error)) {
    if (Domain::id_of(kind, file.path().filename().string()) != 0) files.push_back(file.path());
  }
  return files;
}

/// Names are never given twice, so a dead one's stays a dead one's until it is removed.
bool remove_if_dead(const Domain& domain, const std::filesystem::path& segment) {
  try {
    const auto lease = domain.path() / Domain::name_of("lease", read_info(segment).lease);
    return !Lease::alive(lease) && ::unlink(segment.c_str()) == 0;
  } catch (const SetupError&) {
    return false;  // gone meanwhile, or not ours to judge
  }
}

}  // namespace

Swept sweep(const Domain& domain) {
  Swept swept;
  for (const auto& file : files_of_kind(domain, "segment"))
    swept.segments += remove_if_dead(domain, file) ? 1U : 0U;
  for (const auto& file : files_of_kind(domain, "lease")) swept.leases += Lease::reclaim(file) ? 1U : 0U;
  return swept;
}

}  // namespace takt::shm
