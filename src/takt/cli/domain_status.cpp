// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/domain_status.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "takt/core/error.hpp"
#include "takt/core/lease.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/discovery_folder.hpp"
#include "takt/transport/shm/sweep.hpp"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSegmentKind = "segment";

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Field 22 of /proc/<pid>/stat, counted from behind the name, which may hold anything; 0: no such process.
std::uint64_t start_ticks_of(pid_t pid) {
  const auto text = text_of_file(fmt::format("/proc/{}/stat", pid));
  const auto after_name = text.rfind(')');
  if (after_name == std::string::npos) return 0;
  std::istringstream fields(text.substr(after_name + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

double uptime_s() {
  std::istringstream text(text_of_file("/proc/uptime"));
  double seconds = 0;
  text >> seconds;
  return seconds;
}

std::string command_of(pid_t pid) {
  auto text = text_of_file(fmt::format("/proc/{}/cmdline", pid));
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

/// Command and age are those of the lease's own process, not of one that has its number by now.
ProcessStatus process_of(const shm::Domain& domain, const std::string& name) {
  ProcessStatus process{.lease = name, .id = shm::Domain::id_of(shm::kLeaseKind, name)};
  const auto path = domain.path() / name;
  process.alive = Lease::alive(path);
  const auto owner = Lease::owner(path);
  if (!owner) return process;
  process.pid = owner->pid;
  process.version = owner->version;
  if (!process.alive || start_ticks_of(owner->pid) != owner->start_ticks) return process;
  process.command = command_of(owner->pid);
  process.age_s =
      uptime_s() - static_cast<double>(owner->start_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return process;
}

SegmentFile segment_of(const shm::Domain& domain, const std::string& name) {
  try {
    return {name, shm::inspect_segment(domain.path() / name), {}};
  } catch (const SetupError& error) {
    return {name, {}, error.what()};
  }
}

bool is_dead(const shm::Domain& domain, std::uint64_t lease) {
  return !shm::process_lives(domain, shm::Domain::name_of(shm::kLeaseKind, lease));
}

std::uint64_t memory_of_file(const fs::path& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_blocks) * 512 : 0;
}

void add_file(const shm::Domain& domain, const std::string& name, DomainStatus& status) {
  if (shm::Domain::id_of(shm::kLeaseKind, name) != 0) {
    status.processes.push_back(process_of(domain, name));
    status.dead_leases += status.processes.back().alive ? 0U : 1U;
  } else if (const auto id = shm::Domain::id_of(shm::kInboxKind, name); id != 0) {
    status.dead_inboxes += is_dead(domain, id) ? 1U : 0U;
  } else if (shm::Domain::id_of(kSegmentKind, name) != 0) {
    status.segments.push_back(segment_of(domain, name));
    const auto& segment = status.segments.back();
    if (!segment.status)
      status.foreign.push_back(fmt::format("{}: {}", name, segment.fault));
    else
      status.dead_segments += is_dead(domain, segment.status->info.lease) ? 1U : 0U;
  } else if (name != shm::kBellsName) {
    status.foreign.push_back(name + ": not a file of this version of takt");
  }
}

}  // namespace

DomainStatus look_at(const shm::Domain& domain) {
  DomainStatus status{.number = domain.number(), .folder = domain.path().string()};
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(domain.path(), error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  if (error) throw SetupError(fmt::format("cannot list {}: {}", status.folder, error.message()));
  std::ranges::sort(names);
  for (const auto& name : names) {
    status.memory += memory_of_file(domain.path() / name);
    add_file(domain, name, status);
  }
  std::ranges::stable_sort(status.processes, {}, &ProcessStatus::pid);
  std::ranges::stable_sort(status.segments, {}, [](const SegmentFile& one) {
    return one.status ? one.status->info.topic : std::string();
  });
  status.bells = shm::bells_in_use(domain);
  status.other_users = other_users(domain.number());
  return status;
}

/// The leases at last, so that one who is killed meanwhile leaves the rest to the next.
void remove_leftovers(const shm::Domain& domain) {
  const auto dead = shm::list_folder(domain).dead;
  shm::sweep(domain);
  for (const auto& process : dead) shm::reclaim_process(domain, process);
}

}  // namespace takt::cli
