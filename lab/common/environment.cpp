// SPDX-License-Identifier: Apache-2.0
#include "lab/common/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "lab/common/cgroup.hpp"
#include "lab/common/files.hpp"
#include "lab/common/hypervisor.hpp"
#include "takt/core/version.hpp"

namespace takt::lab {
namespace {

namespace fs = std::filesystem;

/// The first line, or "" if there is none.
std::string first_line(const fs::path& path) {
  auto file = open_if_there(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// What follows "<key> :" in a file of such lines, or "".
std::string value_of(const fs::path& path, std::string_view key) {
  auto file = open_if_there(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto text = line.find_first_not_of(" \t", colon + 1);
    return text == std::string::npos ? "" : line.substr(text);
  }
  return "";
}

std::string read_preemption(const fs::path& root, std::string_view version) {
  if (first_line(root / "sys/kernel/realtime") == "1" || version.find("PREEMPT_RT") != std::string_view::npos)
    return "rt";
  // "none voluntary (full)": readable with privilege only
  const auto modes = first_line(root / "sys/kernel/debug/sched/preempt");
  const auto open = modes.find('(');
  const auto close = modes.find(')', open == std::string::npos ? 0 : open);
  if (open != std::string::npos && close != std::string::npos)
    return modes.substr(open + 1, close - open - 1);
  if (version.find("PREEMPT_DYNAMIC") != std::string_view::npos) return "unknown";
  return version.find("PREEMPT") != std::string_view::npos ? "full" : "unknown";
}

int count_online(const fs::path& root) {
  // "0-3,6"
  std::istringstream ranges(first_line(root / "sys/devices/system/cpu/online"));
  int count = 0;
  std::string range;
  while (std::getline(ranges, range, ',')) {
    int from = 0;
    int to = 0;
    const int read = std::sscanf(range.c_str(), "%d-%d", &from, &to);  // NOLINT(cert-err34-c): checked below
    count += read == 2 ? to - from + 1 : read;
  }
  return std::max(count, 0);
}

std::string read_governor(const fs::path& root) {
  std::set<std::string> governors;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", error)) {
    const auto name = first_line(entry.path() / "cpufreq/scaling_governor");
    if (!name.empty()) governors.insert(name);
  }
  return governors.empty() ? "none" : fmt::format("{}", fmt::join(governors, ", "));
}

/// The soft limit in a line "Max realtime priority   0   0".
std::optional<std::uint64_t> read_limit(const fs::path& root, std::string_view name) {
  auto file = open_if_there(root / "proc/self/limits");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(name)) continue;
    std::istringstream fields(line.substr(name.size()));
    std::uint64_t soft = 0;
    return fields >> soft ? std::optional(soft) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::int64_t> read_number(const fs::path& path) {
  auto file = open_if_there(path);
  std::int64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

std::string or_unknown(std::string text) { return text.empty() ? "unknown" : std::move(text); }

nlohmann::json limit_json(const std::optional<std::uint64_t>& limit) {
  return limit ? nlohmann::json(*limit) : nlohmann::json("unlimited");
}

nlohmann::json cgroup_json(const std::optional<CgroupUsage>& group) {
  if (!group) return nullptr;
  return {{"version", group->version},
          {"quota", group->quota ? nlohmann::json(*group->quota) : nlohmann::json()},
          {"nr_periods", group->nr_periods},
          {"nr_throttled", group->nr_throttled},
          {"throttled_usec", group->throttled_usec},
          {"usage_usec", group->usage_usec}};
}

}  // namespace

Environment read_environment(const fs::path& root) {
  Environment environment;
  const auto version = first_line(root / "proc/sys/kernel/version");
  environment.kernel = or_unknown(first_line(root / "proc/sys/kernel/osrelease") + " " + version);
  environment.preemption = read_preemption(root, version);
  environment.cpu_model = or_unknown(value_of(root / "proc/cpuinfo", "model name"));
  environment.cpus_online = count_online(root);
  environment.governor = read_governor(root);
  environment.virtualization = hypervisor(root);
  environment.cgroup = read_cgroup(root);
  environment.rtprio_limit = read_limit(root, "Max realtime priority");
  environment.memlock_limit = read_limit(root, "Max locked memory");
  environment.rt_runtime_us = read_number(root / "proc/sys/kernel/sched_rt_runtime_us");
  environment.timer_slack_ns = read_number(root / "proc/self/timerslack_ns").value_or(0);
  environment.compiler = compiler();
  environment.takt_version = fmt::format("{} ({})", takt::version(), commit());
  return environment;
}

nlohmann::json to_json(const Environment& environment) {
  const auto& e = environment;
  return {{"kernel", e.kernel},
          {"preemption", e.preemption},
          {"cpu_model", e.cpu_model},
          {"cpus_online", e.cpus_online},
          {"governor", e.governor},
          {"virtualization", e.virtualization},
          {"steal_pct", e.steal_pct},
          {"cgroup", cgroup_json(e.cgroup)},
          {"limits", {{"rtprio", limit_json(e.rtprio_limit)}, {"memlock", limit_json(e.memlock_limit)}}},
          {"rt_runtime_us", e.rt_runtime_us ? nlohmann::json(*e.rt_runtime_us) : nlohmann::json()},
          {"timer_slack_ns", e.timer_slack_ns},
          {"keep_awake", e.keep_awake},
          {"compiler", e.compiler},
          {"takt_version", e.takt_version},
          {"load", {{"command", e.load.command}, {"busy_pct", e.load.busy_pct}}}};
}

EnvironmentProbe::EnvironmentProbe(fs::path root)
    : root_(std::move(root)), before_(read_environment(root_)), ticks_(read_cpu_ticks(root_ / "proc/stat")) {}

Environment EnvironmentProbe::finish() const {
  const auto usage = usage_between(ticks_, read_cpu_ticks(root_ / "proc/stat"));
  auto environment = read_environment(root_);
  environment.steal_pct = usage.steal_pct;
  for (const auto& core : usage.cores) environment.load.busy_pct.push_back(core.busy_pct);
  if (environment.cgroup && before_.cgroup) {
    auto& after = *environment.cgroup;
    after.nr_periods -= std::min(after.nr_periods, before_.cgroup->nr_periods);
    after.nr_throttled -= std::min(after.nr_throttled, before_.cgroup->nr_throttled);
    after.throttled_usec = std::max(0.0, after.throttled_usec - before_.cgroup->throttled_usec);
    after.usage_usec = std::max(0.0, after.usage_usec - before_.cgroup->usage_usec);
  }
  return environment;
}

}  // namespace takt::lab
