// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

/// The text of a .msg file, or of half a .srv file, and where it is from.
struct Definition {
  std::string text;
  std::string origin;  ///< a path, or "package/msg/Type"; errors begin with it
  int first_line = 1;  ///< of the text in its file
};

struct ParsedField {
  FieldDescription field;
  std::string type_name;  ///< "geometry_msgs/msg/Point" where it is a message, which is not looked up yet
  int line = 0;
};

struct ParsedDefinition {
  std::vector<ParsedField> fields;
  std::vector<ConstantDescription> constants;
};

/// Reads a definition of a type in `package`, by the rules of ROS 2's own parser. Throws SetupError
/// "origin:line: what is wrong".
ParsedDefinition parse_definition(std::string_view package, const Definition& definition);

/// Request and response of a .srv file. Throws SetupError when there is no line "---".
std::pair<Definition, Definition> split_service(const Definition& service);

/// "origin:line: what", as a SetupError.
[[noreturn]] void throw_at(const std::string& origin, int line, const std::string& what);

}  // namespace takt::msgs
