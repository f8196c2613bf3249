// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

/// A place in a message: a field, or an element of an array, per message on the way.
struct FieldStep {
  const FieldDescription* field = nullptr;
  std::optional<std::size_t> element;
};
using FieldPath = std::vector<FieldStep>;

/// Reads "pose.position.x", "ranges[3]" or "poses[0].position"; empty is the whole message. The path points
/// into `type`. Throws SetupError when there is no such place, naming the fields that there are.
FieldPath parse_field_path(const TypeDescription& type, std::string_view text);

}  // namespace takt::msgs
