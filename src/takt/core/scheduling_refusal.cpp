// SPDX-License-Identifier: Apache-2.0
#include "takt/core/scheduling_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>

#include "takt/core/cpu_list.hpp"
#include "takt/core/scheduling_system.hpp"

namespace takt::system {
namespace {

constexpr unsigned kCapSysNice = 23;

std::string name_of(int error) {
  const char* name = strerrorname_np(error);
  return name == nullptr ? std::to_string(error) : name;
}

std::string show(rlim_t limit, rlim_t unit = 1) {
  return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit / unit);
}

bool has_capability(unsigned capability) {
  constexpr std::string_view key = "CapEff:";
  const auto status = calls().read_file("/proc/thread-self/status");
  const auto at = status.find(key);
  if (at == std::string::npos) return false;
  const auto bits = std::strtoull(status.c_str() + at + key.size(), nullptr, 16);
  return ((bits >> capability) & 1U) != 0;
}

bool holds_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (list.substr(0, comma) == item) return true;
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return false;
}

/// The path of the calling thread in the hierarchy of cgroup v1 that has the CPU controller.
std::optional<std::string> cpu_group() {
  std::istringstream lines(calls().read_file("/proc/thread-self/cgroup"));
  for (std::string line; std::getline(lines, line);) {  // 4:cpu,cpuacct:/a/b
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (holds_item(std::string_view(line).substr(first + 1, second - first - 1), "cpu"))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The folder of that group, as mounted here.
std::optional<std::string> cpu_group_folder(const std::string& group) {
  std::istringstream lines(calls().read_file("/proc/self/mountinfo"));
  for (std::string line; std::getline(
           lines, line);) {  // 31 30 0:28 <root> <point> <options> ... - cgroup <source> <super options>
    const auto dash = line.find(" - cgroup ");
    if (dash == std::string::npos) continue;
    if (!holds_item(std::string_view(line).substr(line.rfind(' ') + 1), "cpu")) continue;
    std::istringstream words(line);
    std::string skip, root, point;
    words >> skip >> skip >> skip >> root >> point;
    if (root == "/") return group == "/" ? point : point + group;
    if (group.compare(0, root.size(), root) == 0) return point + group.substr(root.size());
  }
  return std::nullopt;
}

/// The reason why a group of cgroup v1 forbids real-time policies, if it does.
std::optional<Refusal> refused_by_group(const std::string& asked) {
  const auto group = cpu_group();
  if (!group) return std::nullopt;
  const auto folder = cpu_group_folder(*group);
  if (!folder) return std::nullopt;
  const auto file = *folder + "/cpu.rt_runtime_us";
  const auto runtime = calls().read_file(file.c_str());
  if (runtime.empty() || std::strtol(runtime.c_str(), nullptr, 10) != 0) return std::nullopt;
  return Refusal{
      fmt::format("{} was refused (EPERM): the thread's CPU cgroup {} has cpu.rt_runtime_us = 0", asked,
                  *group),
      fmt::format("give it real-time budget (echo 400000 > {}, its parents first), or start the program in "
                  "the root group",
                  file)};
}

Refusal explain_priority(const Scheduling& scheduling, int priority) {
  const auto asked = to_string(scheduling);
  const auto limit = calls().limit(RLIMIT_RTPRIO).rlim_cur;
  if (!has_capability(kCapSysNice) && limit < static_cast<rlim_t>(priority)) {
    return {fmt::format("{} was refused (EPERM): the limit of this process for real-time priorities is {} "
                        "(RLIMIT_RTPRIO, "
                        "ulimit -r) and it has no CAP_SYS_NICE",
                        asked, show(limit)),
            "put the line '@realtime - rtprio 98' into /etc/security/limits.d/realtime.conf, join that group "
            "and log in "
            "again; or run 'sudo setcap cap_sys_nice+ep' on the program; or set LimitRTPRIO=98 in its "
            "systemd unit"};
  }
  if (auto refusal = refused_by_group(asked)) return *refusal;
  return {fmt::format("{} was refused (EPERM) although the limits allow it", asked),
          "look for a security policy: in a container allow it with --cap-add=SYS_NICE --ulimit rtprio=98; "
          "on a kernel "
          "with RT_GROUP_SCHED and cgroup v2 start the program in the root group"};
}

std::size_t cpus_of_thread() {
  CpuMask mask{};
  calls().get_affinity(mask);
  std::size_t n = 0;
  for (const auto word : mask) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

Refusal explain_deadline(const Scheduling& scheduling) {
  const auto asked = to_string(scheduling);
  if (!has_capability(kCapSysNice)) {
    return {
        fmt::format("{} was refused (EPERM): it needs CAP_SYS_NICE; the rtprio limit is not enough", asked),
        "run 'sudo setcap cap_sys_nice+ep' on the program"};
  }
  const auto online = parse_cpu_list(calls().read_file("/sys/devices/system/cpu/online")).size();
  if (const auto own = cpus_of_thread(); own < online) {
    return {fmt::format(
                "{} was refused (EPERM): the thread may run on {} of {} CPUs, and DEADLINE takes no affinity "
                "smaller than the scheduler's domain",
                asked, own, online),
            "let the thread run on all CPUs, or make an exclusive cpuset of the wanted ones"};
  }
  if (auto refusal = refused_by_group(asked)) return *refusal;
  return {fmt::format("{} was refused (EPERM) although the capability is there", asked),
          "look for a security policy of the container, or a cpuset that is not exclusive"};
}

Refusal explain_nice(const Other& other, const std::string& asked) {
  const auto limit = calls().limit(RLIMIT_NICE).rlim_cur;
  const auto lowest = 20 - static_cast<int>(std::min<rlim_t>(limit, 40));
  return {
      fmt::format(
          "{} was refused (EPERM): without CAP_SYS_NICE the nice value cannot go below {} (RLIMIT_NICE)",
          asked, lowest),
      fmt::format(
          "put the line '@realtime - nice {}' into /etc/security/limits.d/realtime.conf, or set LimitNICE={} "
          "in the systemd unit",
          other.nice, other.nice)};
}

}  // namespace

Refusal explain_policy(const Scheduling& asked, int error) {
  if (error == EPERM) {
    if (const auto* fifo = std::get_if<Fifo>(&asked)) return explain_priority(asked, fifo->priority);
    if (const auto* rr = std::get_if<RoundRobin>(&asked)) return explain_priority(asked, rr->priority);
    if (std::holds_alternative<DeadlineScheduling>(asked)) return explain_deadline(asked);
    if (const auto* other = std::get_if<Other>(&asked)) return explain_nice(*other, to_string(asked));
  }
  if (error == EBUSY) {
    return {fmt::format("{} was refused (EBUSY): the CPUs have not so much time left for deadline threads",
                        to_string(asked)),
            "ask for a smaller runtime / period; all deadline threads together may use sched_rt_runtime_us "
            "of each "
            "sched_rt_period_us (95 % by default) of every CPU"};
  }
  if (error == EINVAL && std::holds_alternative<DeadlineScheduling>(asked)) {
    return {fmt::format("{} was refused (EINVAL)", to_string(asked)),
            "choose a period between /proc/sys/kernel/sched_deadline_period_min_us and _max_us (100 us to 4 "
            "s by default)"};
  }
  return {fmt::format("{} was refused ({}: {})", to_string(asked), name_of(error), strerrordesc_np(error)),
          "see sched_setattr(2)"};
}

Refusal explain_memory_lock(int error) {
  const auto limit = calls().limit(RLIMIT_MEMLOCK).rlim_cur;
  if (error == EPERM || error == ENOMEM || error == EAGAIN) {
    return {fmt::format(
                "locking the memory was refused ({}): the limit of this process for locked memory is {} KiB "
                "(RLIMIT_MEMLOCK, ulimit -l)",
                name_of(error), show(limit, 1024)),
            "put the line '@realtime - memlock unlimited' into /etc/security/limits.d/realtime.conf, join "
            "that group and log "
            "in again; or run 'sudo setcap cap_ipc_lock+ep' on the program; or set LimitMEMLOCK=infinity in "
            "its systemd "
            "unit"};
  }
  return {fmt::format("locking the memory was refused ({}: {})", name_of(error), strerrordesc_np(error)),
          "see mlockall(2)"};
}

}  // namespace takt::system
