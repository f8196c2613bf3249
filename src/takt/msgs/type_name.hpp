// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rosidl_runtime_cpp/traits.hpp"

namespace takt {

/// A type that rosidl generated: a message, or a service's request or response.
template <typename T>
concept Message = rosidl_generator_traits::is_message<T>::value;

/// Full name of a message type as ROS 2 writes it, "std_msgs/msg/Int32". The text lives as long as the
/// program. Wait-free.
template <Message T>
std::string_view type_name() noexcept {
  return rosidl_generator_traits::name<T>();
}

}  // namespace takt
