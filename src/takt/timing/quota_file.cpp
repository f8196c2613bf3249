// SPDX-License-Identifier: Apache-2.0
// Finds the cpu.stat of this process's quota from /proc/self/cgroup and /proc/self/mountinfo (cgroups(7),
// proc(5)).
#include <filesystem>
#include <fstream>
#include <sstream>

#include "takt/timing/system_counters.hpp"

namespace takt::timing {

namespace {

namespace fs = std::filesystem;

/// Where a hierarchy is mounted, and which of its folders is visible there.
struct Mount {
  std::string point;
  std::string shown;
};

bool holds(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// Version 1: the mount of the cpu controller. Version 2: the unified one.
std::optional<Mount> find_mount(const std::string& root, int version) {
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash));
    std::istringstream after(line.substr(dash + 3));
    std::string skipped;
    Mount mount;
    std::string type;
    std::string options;
    before >> skipped >> skipped >> skipped >> mount.shown >> mount.point;
    after >> type >> skipped >> options;
    if (version == 1 ? type == "cgroup" && holds(options, "cpu") : type == "cgroup2") return mount;
  }
  return std::nullopt;
}

/// This process's folder in the hierarchy, as /proc/self/cgroup names it.
std::optional<std::string> find_group(const std::string& root, int version) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (version == 1 ? holds(controllers, "cpu") : controllers.empty()) return line.substr(second + 1);
  }
  return std::nullopt;
}

bool has_quota(const fs::path& folder, int version) {
  std::ifstream file(folder / (version == 1 ? "cpu.cfs_quota_us" : "cpu.max"));
  std::string quota;
  file >> quota;
  return !quota.empty() && quota != "max" && quota.front() != '-';
}

bool counts_throttling(const fs::path& file, int version) {
  std::ifstream stat(file);
  std::ostringstream text;
  text << stat.rdbuf();
  return throttled_time(text.str(), version).has_value();
}

std::string stat_file(const std::string& root, int version) {
  const auto mount = find_mount(root, version);
  auto group = find_group(root, version);
  if (!mount || !group) return {};
  if (mount->shown != "/" && group->starts_with(mount->shown)) group->erase(0, mount->shown.size());
  const fs::path top = root + mount->point;
  const fs::path own = (top / fs::path(*group).relative_path()).lexically_normal();
  for (fs::path folder = own; folder.string().size() >= top.string().size(); folder = folder.parent_path()) {
    if (has_quota(folder, version) && counts_throttling(folder / "cpu.stat", version))
      return folder / "cpu.stat";
    if (folder == folder.parent_path()) break;
  }
  return counts_throttling(own / "cpu.stat", version) ? own / "cpu.stat" : fs::path{};
}

}  // namespace

QuotaFile find_quota_file(const std::string& root) {
  for (const int version : {1, 2}) {
    if (auto path = stat_file(root, version); !path.empty()) return {std::move(path), version};
  }
  return {};
}

}  // namespace takt::timing
