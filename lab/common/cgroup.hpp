// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "lab/common/environment.hpp"

namespace takt::lab {

/// The CPU controller of this process's control group: version 1 where it has that controller, else 2. Empty
/// where neither does. `root` is prepended to /proc and /sys.
std::optional<CgroupUsage> read_cgroup(const std::filesystem::path& root = "/");

}  // namespace takt::lab
