// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "takt/msgs/fields.hpp"
#include "takt/msgs/member_kinds.hpp"

namespace takt::msgs {

/// Where plain CDR puts a type's members, compared with where C++ does. Computed at compile time.
struct Layout {
  bool fixed = true;          ///< no string and no sequence inside
  bool plain = true;          ///< fixed, and every member lies where plain CDR puts it
  bool has_bool = false;      ///< so that not every byte pattern is a value
  std::size_t size = 0;       ///< where the last member ends, if fixed
  std::size_t content = 0;    ///< the members' bytes without what lies between them, if fixed
  std::size_t at_least = 0;   ///< bytes that the shortest encoding takes, without alignment
  std::size_t alignment = 0;  ///< of the first primitive
};

namespace detail {

class LayoutWalk {
 public:
  template <typename T>
  constexpr bool field(std::size_t offset) {
    place<T>(struct_at_ + offset);
    return true;
  }

  template <typename T>
  constexpr void place(std::size_t at) {
    if constexpr (Primitive<T>) {
      place_primitives(at, sizeof(T), 1);
      layout_.has_bool = layout_.has_bool || std::is_same_v<T, bool>;
    } else if constexpr (kIsString<T> || kIsSequence<T>) {
      layout_.fixed = layout_.plain = false;
      layout_.at_least += 4;
    } else if constexpr (kIsArray<T>) {
      place_array<typename T::value_type>(at, ArrayTraits<T>::kSize);
    } else {
      const std::size_t outer = std::exchange(struct_at_, at);
      Fields<T>::layout(*this);
      struct_at_ = outer;
    }
  }

  constexpr const Layout& layout() const { return layout_; }

 private:
  template <typename T>
  constexpr void place_array(std::size_t at, std::size_t count) {
    if constexpr (Primitive<T>) {
      place_primitives(at, sizeof(T), count);
      layout_.has_bool = layout_.has_bool || std::is_same_v<T, bool>;
    } else {
      for (std::size_t i = 0; i < count; ++i) place<T>(at + i * sizeof(T));
    }
  }

  constexpr void place_primitives(std::size_t at, std::size_t width, std::size_t count) {
    if (layout_.alignment == 0) layout_.alignment = width;
    layout_.size = (layout_.size + width - 1) / width * width;
    layout_.plain = layout_.plain && layout_.size == at;
    layout_.size += width * count;
    layout_.content += width * count;
    layout_.at_least += width * count;
  }

  Layout layout_;
  std::size_t struct_at_ = 0;
};

template <typename T>
consteval Layout layout_of() {
  LayoutWalk walk;
  walk.place<T>(0);
  return walk.layout();
}

}  // namespace detail

/// Layout of any member or message type.
template <typename T>
inline constexpr Layout kLayout = detail::layout_of<T>();

/// Whether a message's struct is, byte for byte, its plain CDR (little endian, after the encapsulation
/// header), up to padding at its end. Such a message can be written and read in place.
template <HasFields T>
inline constexpr bool kPlain = kLayout<T>.plain&& std::is_trivially_copyable_v<T>;

/// The same question as a publisher asks it: whether a slot of shared memory can be lent as a T.
template <HasFields T>
inline constexpr bool kLoanable = kPlain<T>;

/// Whether several T in a row are copied as one block: plain, no gaps, and aligned alike by C++ and CDR.
template <typename T>
inline constexpr bool kBlock = kLayout<T>.plain&& kLayout<T>.content == sizeof(T) && kLayout<T>.alignment ==
                                                                                         alignof(T);

}  // namespace takt::msgs
