// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace takt::cli {

/// How many characters must be inserted, removed, replaced or swapped with their neighbour to turn one word
/// into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Those of `known` that somebody who typed `word` may have meant, the nearest first; at most three.
std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& known);

}  // namespace takt::cli
