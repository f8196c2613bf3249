// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt {

/// How far a context looks for publishers and subscriptions.
enum class DiscoveryRange : std::uint8_t {
  environment,  ///< as ROS_AUTOMATIC_DISCOVERY_RANGE says; localhost when it is unset
  off,          ///< within the context only
  localhost,    ///< the processes of this user on this host
};

/// Of ROS_AUTOMATIC_DISCOVERY_RANGE: OFF, LOCALHOST, SUBNET or SYSTEM_DEFAULT. SUBNET is localhost as well,
/// as long as there is no network transport. Errors: SetupError for any other value.
DiscoveryRange discovery_range_of_environment();

}  // namespace takt
