// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

namespace takt::msgs {

/// What is generated of a message type beside rosidl's struct (tools/interface_fields.py):
///   kName        "std_msgs/msg/Header"
///   kDefinition  the text of its .msg file, or of its half of the .srv file
///   visit(message, visitor)   visitor(name, member, string bound or 0) of each field in order, until one
///   returns false layout(visitor)           visitor.field<member type>(offset in the struct), likewise
/// The header of a message type brings its own; there is none of other types.
template <typename>
struct Fields;

/// A message, or a service's request or response, whose fields can be walked.
template <typename T>
concept HasFields = requires {
  typename Fields<T>::Type;
  { Fields<T>::kName } -> std::convertible_to<const char*>;
};

}  // namespace takt::msgs
