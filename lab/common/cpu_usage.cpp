// SPDX-License-Identifier: Apache-2.0
#include "lab/common/cpu_usage.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <sstream>
#include <string>

#include "lab/common/errors.hpp"
#include "lab/common/files.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// The kernel's counters of a core may step back a little (idle time of a core that is switched off).
std::uint64_t growth(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

}  // namespace

CpuReading read_cpu_ticks(const std::filesystem::path& stat) {
  auto file = open_if_there(stat);
  if (!file) {
    const int error = errno;
    throw CannotMeasure("cannot read " + stat.string() + ": " + words_of_errno(error),
                        "mount /proc: the experiment proves its load with it");
  }
  CpuReading reading;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("cpu") || line.size() < 4 || std::isdigit(static_cast<unsigned char>(line[3])) == 0)
      continue;
    std::istringstream fields(line.substr(3));
    CoreTicks core;
    std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    fields >> core.cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
    core.busy = user + nice + system + irq + softirq + steal;  // guest time is part of user and nice
    core.idle = idle + iowait;
    core.steal = steal;
    reading.push_back(core);
  }
  if (reading.empty()) {
    throw CannotMeasure("no CPU in " + stat.string(), "mount /proc: the experiment proves its load with it");
  }
  std::ranges::sort(reading, {}, &CoreTicks::cpu);
  return reading;
}

CpuUsage usage_between(const CpuReading& before, const CpuReading& after) {
  CpuUsage usage;
  std::uint64_t all = 0;
  std::uint64_t stolen = 0;
  for (const auto& end : after) {
    const auto start = std::ranges::find(before, end.cpu, &CoreTicks::cpu);
    if (start == before.end()) continue;
    const auto busy = growth(start->busy, end.busy);
    const auto steal = growth(start->steal, end.steal);
    const auto total = busy + growth(start->idle, end.idle);
    usage.cores.push_back({end.cpu, percent(busy, total), percent(steal, total)});
    all += total;
    stolen += steal;
  }
  usage.steal_pct = percent(stolen, all);
  return usage;
}

Duration busy_time(const CpuReading& before, const CpuReading& after) {
  std::uint64_t ticks = 0;
  for (const auto& end : after) {
    const auto start = std::ranges::find(before, end.cpu, &CoreTicks::cpu);
    if (start == before.end()) continue;
    const auto busy = growth(start->busy, end.busy);
    ticks += busy - std::min(busy, growth(start->steal, end.steal));
  }
  return Duration{std::chrono::seconds{ticks}} / sysconf(_SC_CLK_TCK);
}

Duration own_cpu_time() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::chrono::seconds{usage.ru_utime.tv_sec + usage.ru_stime.tv_sec} +
         std::chrono::microseconds{usage.ru_utime.tv_usec + usage.ru_stime.tv_usec};
}

}  // namespace takt::lab
