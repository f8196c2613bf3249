// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace takt::timing {

/// Where the CPU quota of this process is accounted: the nearest control group, from its own upward, that has
/// a quota, else its own. Version 1 counts `throttled_time` in ns, version 2 `throttled_usec`.
struct QuotaFile {
  std::string path;  ///< of cpu.stat; empty: no cgroup CPU controller
  int version = 0;
};
/// `root` stands before /proc and /sys: "" for the machine, a folder in tests. May block, may allocate.
QuotaFile find_quota_file(const std::string& root = {});

/// In ns, from the text of a cpu.stat of that version.
std::optional<std::int64_t> throttled_time(std::string_view cpu_stat, int version) noexcept;
/// In clock ticks, from the text of a /proc/stat; `cpu` -1: the sum of all.
std::optional<std::int64_t> stolen_ticks(std::string_view proc_stat, int cpu) noexcept;

/// Reads what the whole machine has lost: CPU time stolen by the hypervisor, time throttled by the quota. One
/// per thread.
class SystemCounters {
 public:
  static constexpr int kLargestCpu = 255;  ///< stolen time of CPUs beyond it is not known

  explicit SystemCounters(const std::string& root = {});
  ~SystemCounters();
  SystemCounters(const SystemCounters&) = delete;
  SystemCounters& operator=(const SystemCounters&) = delete;

  /// Reads both files: up to some 20 us; allocates nothing.
  void refresh() noexcept;
  /// As of the last refresh, in ns.
  std::optional<std::int64_t> stolen(int cpu) const noexcept;
  std::optional<std::int64_t> throttled() const noexcept;

 private:
  static constexpr std::size_t kBuffer =
      std::size_t{32} * 1024;  // the lines of 256 CPUs come before everything else

  int stat_;
  int quota_;
  int quota_version_;
  std::int64_t tick_ns_;
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0;
  std::optional<std::int64_t> throttled_;
};

}  // namespace takt::timing
