// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <typeindex>
#include <typeinfo>

#include "takt/graph/wire_message.hpp"
#include "takt/msgs/type_name.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt {

/// What a topic carries: the name is shown and goes on the wire, the C++ type is what both ends in a process
/// must share.
struct TopicType {
  std::string name;
  std::type_index type;
  shm::TypeHash hash{};  ///< of the message definition; zero: it cannot leave the process
};

/// What the generator wrote; anything else is a bug.
shm::TypeHash hash_of_generated(std::string_view text);

/// A C++ type's name as one writes it. May allocate.
std::string demangled(const std::type_info& type);

/// "std_msgs/msg/Int32" for a ROS message; any other C++ type by its own name. May allocate.
template <class T>
TopicType topic_type() {
  if constexpr (wire::Crossing<T>) {
    return {std::string(type_name<T>()), typeid(T), hash_of_generated(msgs::type_hash<T>())};
  } else if constexpr (Message<T>) {
    return {std::string(type_name<T>()), typeid(T)};
  } else {
    return {demangled(typeid(T)), typeid(T)};
  }
}

}  // namespace takt
