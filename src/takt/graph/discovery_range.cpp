// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/discovery_range.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "takt/core/error.hpp"

namespace takt {

DiscoveryRange discovery_range_of_environment() {
  constexpr const char* kVariable = "ROS_AUTOMATIC_DISCOVERY_RANGE";
  const char* text = std::getenv(kVariable);  // NOLINT(concurrency-mt-unsafe): read at start-up
  const std::string_view value = text == nullptr ? "" : text;
  if (value == "OFF") return DiscoveryRange::off;
  for (const auto* one : {"", "LOCALHOST", "SUBNET", "SYSTEM_DEFAULT"}) {
    if (value == one) return DiscoveryRange::localhost;
  }
  throw SetupError(std::string("environment variable ") + kVariable + " is '" + std::string(value) + "'",
                   "use OFF, LOCALHOST, SUBNET or SYSTEM_DEFAULT");
}

}  // namespace takt
