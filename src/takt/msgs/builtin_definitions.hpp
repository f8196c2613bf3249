// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace takt::msgs {

struct BuiltinDefinition {
  std::string_view name;  ///< "std_msgs/msg/Header"
  std::string_view text;  ///< of its .msg or .srv file
};

/// All definitions that come with takt, sorted by name.
std::span<const BuiltinDefinition> builtin_definitions();

/// Of one type, or nullptr.
const BuiltinDefinition* find_builtin_definition(std::string_view name);

}  // namespace takt::msgs
