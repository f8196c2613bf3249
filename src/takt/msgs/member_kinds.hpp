// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <rosidl_runtime_cpp/bounded_vector.hpp>
#include <string>
#include <type_traits>
#include <vector>

/// The kinds of members that a generated struct can have, told apart at compile time.
namespace takt::msgs {

template <typename T>
concept Primitive = std::is_arithmetic_v<T>;

template <typename T>
constexpr bool kIsString = std::is_same_v<T, std::string> || std::is_same_v<T, std::u16string>;

template <typename T>
struct ArrayTraits {
  static constexpr bool kIsArray = false;
};
template <typename T, std::size_t N>
struct ArrayTraits<std::array<T, N>> {
  static constexpr bool kIsArray = true;
  static constexpr std::size_t kSize = N;
};
template <typename T>
constexpr bool kIsArray = ArrayTraits<T>::kIsArray;

/// kBound is the most elements that a sequence may have, 0 for no bound.
template <typename T>
struct SequenceTraits {
  static constexpr bool kIsSequence = false;
};
template <typename T, typename Allocator>
struct SequenceTraits<std::vector<T, Allocator>> {
  static constexpr bool kIsSequence = true;
  static constexpr std::size_t kBound = 0;
};
template <typename T, std::size_t Bound, typename Allocator>
struct SequenceTraits<rosidl_runtime_cpp::BoundedVector<T, Bound, Allocator>> {
  static constexpr bool kIsSequence = true;
  static constexpr std::size_t kBound = Bound;
};
template <typename T>
constexpr bool kIsSequence = SequenceTraits<T>::kIsSequence;

}  // namespace takt::msgs
