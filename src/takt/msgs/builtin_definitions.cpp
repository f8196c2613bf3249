// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/builtin_definitions.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace takt::msgs {

namespace {

// The generated file names the packages: an #include of each one's definitions.inc.
constexpr BuiltinDefinition kDefinitions[] = {
#include "builtin_definitions.inc"
};

}  // namespace

std::span<const BuiltinDefinition> builtin_definitions() {
  static const std::vector<BuiltinDefinition> sorted = [] {
    std::vector<BuiltinDefinition> all(std::begin(kDefinitions), std::end(kDefinitions));
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
  }();
  return sorted;
}

const BuiltinDefinition* find_builtin_definition(std::string_view name) {
  const std::span<const BuiltinDefinition> all = builtin_definitions();
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const auto& entry, auto wanted) { return entry.name < wanted; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

}  // namespace takt::msgs
