// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/common/cpu_usage.hpp"

namespace takt::lab {

/// The CPU controller of the control group that the process is in.
struct CgroupUsage {
  int version = 0;              ///< 1 or 2
  std::optional<double> quota;  ///< CPUs; unset: no limit
  std::uint64_t nr_periods = 0;
  std::uint64_t nr_throttled = 0;
  double throttled_usec = 0;
  double usage_usec = 0;
};

/// What the experiment put on the machine beside itself.
struct LoadReport {
  std::string command;           ///< empty: none
  std::vector<double> busy_pct;  ///< of each core during the measurement
};

/// The machine that something was measured on, and what it did meanwhile.
struct Environment {
  std::string kernel;  ///< release and version, as uname gives them
  std::string
      preemption;  ///< "rt", "full", "voluntary", "none", "lazy", or "unknown" where the kernel does not tell
  std::string cpu_model;
  int cpus_online = 0;
  std::string governor;        ///< of the cores' frequency; "none" without one; "a, b" where they differ
  std::string virtualization;  ///< "none", or who runs the machine as far as it shows
  double steal_pct = 0;        ///< taken by the hypervisor during the run
  std::optional<CgroupUsage> cgroup;
  std::optional<std::uint64_t> rtprio_limit;   ///< unset: unlimited
  std::optional<std::uint64_t> memlock_limit;  ///< bytes; unset: unlimited
  std::optional<std::int64_t> rt_runtime_us;   ///< -1: real-time threads are never throttled
  std::int64_t timer_slack_ns = 0;
  bool keep_awake = false;  ///< SCHED_IDLE loops kept the cores from halting
  std::string compiler;
  std::string takt_version;  ///< with the commit
  LoadReport load;
};

/// From here on the hypervisor's share (`steal_pct`) is said with the figures: it may be what made them late.
inline constexpr double kDisturbingStealPct = 0.5;

/// Reads everything that does not need a run. `root` is prepended to /proc and /sys (tests give a made-up
/// tree). What cannot be read says "unknown" or is unset. Errors: CannotMeasure when the process has no file
/// descriptor left: then nothing is known.
Environment read_environment(const std::filesystem::path& root = "/");

/// With exactly the keys of the contract (docs/formats).
nlohmann::json to_json(const Environment& environment);

/// Reads at construction; finish() reads again and gives what happened in between: steal and busy share of
/// each core, and the cgroup's counters as differences.
class EnvironmentProbe {
 public:
  explicit EnvironmentProbe(std::filesystem::path root = "/");
  Environment finish() const;

 private:
  std::filesystem::path root_;
  Environment before_;
  CpuReading ticks_;
};

}  // namespace takt::lab
