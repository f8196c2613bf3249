// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

struct ParseOptions {
  /// Nanoseconds since the epoch, for the values that only have a meaning with it: a std_msgs/Header that is
  /// `auto`, a builtin_interfaces/Time that is `now`.
  std::optional<std::int64_t> now_ns;
};

/// A message from YAML or JSON text: a map of its fields, as `ros2 topic pub` takes it. A field that is not
/// there has its default; empty text is the default message. Returns it encoded, as encode() does. Throws
/// SetupError naming field and line when the text cannot be read, has a field that the type has not, or a
/// value that does not fit.
std::vector<std::byte> parse_message(const TypeDescription& type, std::string_view text,
                                     const ParseOptions& options = {});

}  // namespace takt::msgs
