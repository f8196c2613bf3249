// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// The kernel's list format: "0-3,8" is {0, 1, 2, 3, 8}. What is not of that form ends the list.
std::vector<int> parse_cpu_list(std::string_view text);

/// The other way round; the numbers must be in ascending order.
std::string to_cpu_list(const std::vector<int>& cpus);

}  // namespace takt
