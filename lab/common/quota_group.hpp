// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "lab/common/control_group.hpp"

namespace takt::lab {

struct GroupLimits {
  std::optional<double> cpus;             ///< CPU time per time
  std::optional<std::uint64_t> memory{};  ///< bytes
  bool any() const noexcept { return cpus || memory; }
};

/// Holds this program to limits, as a container would: a control group for as long as the object lives.
///
/// Version 1 of control groups (where it has the CPU controller) moves the calling thread, and with it the
/// threads and processes that it starts from then on; the memory limit is of the whole process. Version 2
/// moves the whole process, and may have to switch a controller on for the groups below the top one
/// (cgroup.subtree_control), where it stays on: by then others may rely on it. What was moved is put back and
/// the groups are removed at the end, after an exception as well; a process that is killed leaves empty
/// groups, which the next one removes. Make it in the main thread: takt finds the quota by the group of the
/// process.
class QuotaGroup {
 public:
  /// `root` is prepended to /proc and /sys (tests give a made-up tree).
  /// Errors: CannotMeasure with the reason and the fix, most often: only root may.
  explicit QuotaGroup(const GroupLimits& limits, const std::filesystem::path& root = "/");
  ~QuotaGroup();
  QuotaGroup(const QuotaGroup&) = delete;
  QuotaGroup& operator=(const QuotaGroup&) = delete;

  /// The calling thread leaves the CPU quota; false where it cannot (version 2 knows no single threads).
  bool leave() const noexcept;
  /// "a control group of version 1, 0.3 CPUs, 1024 MiB"
  const std::string& description() const noexcept { return description_; }
  int version() const noexcept { return version_; }

 private:
  void make_version_1(const GroupLimits& limits, const std::filesystem::path& root, bool made_up);
  void make_version_2(const GroupLimits& limits, const std::filesystem::path& root, bool made_up);

  int version_ = 0;
  std::string description_;
  std::unique_ptr<ControlGroup> memory_;
  std::unique_ptr<ControlGroup> accounting_;
  std::unique_ptr<ControlGroup> cpu_;
};

/// Microseconds per period of `kQuotaPeriodUs` for so many CPUs; at least the kernel's least, 1000.
std::int64_t quota_us(double cpus) noexcept;
inline constexpr std::int64_t kQuotaPeriodUs = 100'000;

/// Errors: CannotMeasure where the kernel refuses SCHED_FIFO to a thread of a version 1 group.
void check_fifo_in(const GroupLimits& limits, const std::filesystem::path& root = "/");

/// Keeps one core busy in the calling thread's control group, at the default priority, for as long as it
/// lives: so that a quota is seen to run out. Errors: CannotMeasure when a thread cannot be made.
class Hog {
 public:
  Hog();
  ~Hog();
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace takt::lab
