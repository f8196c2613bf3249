// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "takt/msgs/cdr_status.hpp"
#include "takt/msgs/field_path.hpp"
#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

struct TextOptions {
  std::size_t most_elements =
      0;                ///< of an array, and characters of a string; what is more becomes "..."; 0: all
  bool arrays = true;   ///< false: only an array's type and length
  bool strings = true;  ///< false: only a string's length
  FieldPath field;      ///< only this place in the message
};

/// Appends the message as YAML, as `ros2 topic echo` lays it out, a line per field, without "---". A float32
/// has the digits that tell it from other float32s, a byte is a number. On a false status `text` ends where
/// the bytes went wrong.
CdrStatus append_yaml(const TypeDescription& type, std::span<const std::byte> bytes,
                      const TextOptions& options, std::string& text);

/// Appends the message as JSON on one line, without a line end. Numbers that JSON lacks are the strings
/// "NaN", "Infinity" and "-Infinity"; bytes that are not UTF-8 become U+FFFD.
CdrStatus append_json(const TypeDescription& type, std::span<const std::byte> bytes,
                      const TextOptions& options, std::string& text);

}  // namespace takt::msgs
