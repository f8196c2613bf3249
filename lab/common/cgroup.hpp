// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "lab/common/environment.hpp"

namespace takt::lab {

/// Where the CPU time of this process's control group is counted.
struct CgroupFiles {
  int version = 0;                   ///< 1 or 2
  std::filesystem::path folder;      ///< holds cpu.stat and the quota
  std::filesystem::path accounting;  ///< version 1: holds cpuacct.usage; empty: not counted
};

/// The CPU controller of this process's control group: version 1 where it has that controller, else 2. Empty
/// where neither does. `root` is prepended to /proc and /sys.
std::optional<CgroupFiles> find_cgroup(const std::filesystem::path& root = "/");
/// About 20 us. What cannot be read is 0.
CgroupUsage read_cgroup(const CgroupFiles& files);
/// Both.
std::optional<CgroupUsage> read_cgroup(const std::filesystem::path& root = "/");

/// The folder of this process's group in the hierarchy of `controller`; "" means version 2. Empty: not there.
std::optional<std::filesystem::path> cgroup_folder(const std::filesystem::path& root,
                                                   std::string_view controller);

}  // namespace takt::lab
