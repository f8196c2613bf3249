// SPDX-License-Identifier: Apache-2.0
#include "lab/common/cgroup.hpp"

#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "lab/common/files.hpp"

namespace takt::lab {
namespace {

namespace fs = std::filesystem;

bool holds(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

/// The process's path in the hierarchy of `controller` (version 2: ""), from lines "4:cpu,cpuacct:/path".
std::optional<std::string> group_path(const fs::path& root, std::string_view controller) {
  auto file = open_if_there(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : holds(controllers, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

/// Lines "<name> <number>".
std::map<std::string, double> read_counters(const fs::path& path) {
  auto file = open_if_there(path);
  std::map<std::string, double> counters;
  std::string name;
  double value = 0;
  while (file >> name >> value) counters[name] = value;
  return counters;
}

double read_number(const fs::path& path, double otherwise) {
  auto file = open_if_there(path);
  double value = 0;
  return file >> value ? value : otherwise;
}

CgroupUsage read_version_1(const CgroupFiles& files) {
  CgroupUsage usage{.version = 1};
  const double quota = read_number(files.folder / "cpu.cfs_quota_us", -1);
  const double period = read_number(files.folder / "cpu.cfs_period_us", 0);
  if (quota > 0 && period > 0) usage.quota = quota / period;
  auto counters = read_counters(files.folder / "cpu.stat");
  usage.nr_periods = static_cast<std::uint64_t>(counters["nr_periods"]);
  usage.nr_throttled = static_cast<std::uint64_t>(counters["nr_throttled"]);
  usage.throttled_usec = counters["throttled_time"] / 1e3;
  if (!files.accounting.empty()) usage.usage_usec = read_number(files.accounting / "cpuacct.usage", 0) / 1e3;
  return usage;
}

CgroupUsage read_version_2(const CgroupFiles& files) {
  CgroupUsage usage{.version = 2};
  auto limit = open_if_there(files.folder / "cpu.max");
  std::string quota;
  double period = 0;
  if (limit >> quota >> period && quota != "max" && period > 0) usage.quota = std::stod(quota) / period;
  auto counters = read_counters(files.folder / "cpu.stat");
  usage.nr_periods = static_cast<std::uint64_t>(counters["nr_periods"]);
  usage.nr_throttled = static_cast<std::uint64_t>(counters["nr_throttled"]);
  usage.throttled_usec = counters["throttled_usec"];
  usage.usage_usec = counters["usage_usec"];
  return usage;
}

}  // namespace

// The mount of the controller, and the path below the mount's own root.
std::optional<fs::path> cgroup_folder(const fs::path& root, std::string_view controller) {
  const auto group = group_path(root, controller);
  auto file = open_if_there(root / "proc/self/mountinfo");
  std::string line;
  while (group && std::getline(file, line)) {
    // 36 25 0:31 <root of the mount> <mount point> rw,... [optional...] - <type> <source> <options>
    std::istringstream fields(line);
    std::string id, parent, device, mount_root, mount_point, word, type, source, options;
    fields >> id >> parent >> device >> mount_root >> mount_point;
    while (fields >> word && word != "-") {
    }
    fields >> type >> source >> options;
    if (controller.empty() ? type != "cgroup2" : type != "cgroup" || !holds(options, controller)) continue;
    auto below = *group;
    if (mount_root != "/" && below.starts_with(mount_root)) below = below.substr(mount_root.size());
    if (below.starts_with("/..")) below.clear();  // outside of the cgroup namespace: the mount's own group
    return root / fs::path(mount_point).relative_path() / fs::path(below).relative_path();
  }
  return std::nullopt;
}

std::optional<CgroupFiles> find_cgroup(const fs::path& root) {
  if (const auto own = cgroup_folder(root, "cpu"); own && fs::exists(*own / "cpu.stat")) {
    return CgroupFiles{1, *own, cgroup_folder(root, "cpuacct").value_or(fs::path{})};
  }
  if (const auto own = cgroup_folder(root, ""); own && fs::exists(*own / "cpu.stat")) {
    return CgroupFiles{2, *own, {}};
  }
  return std::nullopt;
}

CgroupUsage read_cgroup(const CgroupFiles& files) {
  return files.version == 1 ? read_version_1(files) : read_version_2(files);
}

std::optional<CgroupUsage> read_cgroup(const fs::path& root) {
  const auto files = find_cgroup(root);
  return files ? std::optional(read_cgroup(*files)) : std::nullopt;
}

}  // namespace takt::lab
