// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

/// "RIHS01_" and 64 hexadecimal digits: ROS 2's hash of a type and of all it refers to, over names, order,
/// types and bounds of the fields, not over defaults and constants. Set-up only.
std::string type_hash(const TypeDescription& type);

/// What is hashed: the description as JSON, in ROS 2's canonical form.
std::string hashed_text(const TypeDescription& type);

}  // namespace takt::msgs
