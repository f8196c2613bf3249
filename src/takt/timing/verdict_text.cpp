// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/verdict.hpp"
namespace takt::timing {
std::string to_text(const std::vector<Verdict>&, std::size_t) { return {}; }
}  // namespace takt::timing
