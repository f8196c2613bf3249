// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "takt/core/time.hpp"

namespace takt::timing {

/// "10 ms", "0.26 ms", "1.5 s", "40 us": `digits` significant ones, the unit by size.
std::string in_words(Duration duration, int digits = 6);
/// "1 miss", "2 misses".
std::string counted(std::uint64_t n, const char* one, const char* many);

}  // namespace takt::timing
