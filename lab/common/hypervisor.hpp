// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace takt::lab {

/// Who runs this machine: "none", "kvm", "vmware", ..., or "unknown hypervisor" where it does not name
/// itself. `root` is prepended to /proc and /sys; the processor itself is asked only where that is "/".
std::string hypervisor(const std::filesystem::path& root = "/");

}  // namespace takt::lab
