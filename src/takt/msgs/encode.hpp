// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "takt/msgs/cdr_writer.hpp"
#include "takt/msgs/fields.hpp"
#include "takt/msgs/layout.hpp"
#include "takt/msgs/member_kinds.hpp"

namespace takt::msgs {

namespace detail {

/// Puts members one after another; the visitor of Fields<T>::visit.
class Encoder {
 public:
  explicit Encoder(CdrWriter& writer) noexcept : writer_(writer) {}

  template <typename T>
  bool operator()(const char*, const T& value, std::size_t string_bound) noexcept {
    put(value, string_bound);
    return true;
  }

  template <typename T>
  void put(const T& value, std::size_t string_bound) noexcept {
    if constexpr (Primitive<T>) {
      writer_.put(value);
    } else if constexpr (kIsString<T>) {
      put_string(value, string_bound);
    } else if constexpr (kIsSequence<T>) {
      writer_.put_length(value.size());
      put_elements(value, string_bound);
    } else if constexpr (kIsArray<T>) {
      put_elements(value, string_bound);
    } else {
      Fields<T>::visit(value, *this);
    }
  }

 private:
  void put_string(const std::string& value, std::size_t bound) noexcept {
    if (bound != 0 && value.size() > bound) writer_.refuse();
    writer_.put_length(value.size() + 1);
    writer_.put_bytes(value.c_str(), value.size() + 1);
  }
  /// A wide character takes four bytes, as in ROS 2 over Cyclone DDS.
  void put_string(const std::u16string& value, std::size_t bound) noexcept {
    if (bound != 0 && value.size() > bound) writer_.refuse();
    writer_.put_length(value.size());
    for (const char16_t character : value) writer_.put(static_cast<std::uint32_t>(character));
  }

  template <typename T>
  void put_elements(const T& values, std::size_t string_bound) noexcept {
    using Element = typename T::value_type;
    if constexpr (std::is_same_v<Element, bool>) {
      for (const bool value : values) writer_.put(value);
    } else if constexpr (kBlock<Element>) {
      if (!values.empty()) {
        writer_.put_bytes(std::to_address(values.begin()), values.size() * sizeof(Element),
                          kLayout<Element>.alignment);
      }
    } else {
      for (const Element& value : values) put(value, string_bound);
    }
  }

  CdrWriter& writer_;
};

template <HasFields T>
std::size_t encode_into(CdrWriter& writer, const T& message) noexcept {
  Encoder encoder(writer);
  encoder.put(message, 0);
  return writer.finish();
}

}  // namespace detail

/// Bytes that encode() writes of this message: encapsulation header, plain CDR, padded to a multiple of four.
/// Takes as long as the message has members and strings, not bytes. Wait-free.
template <HasFields T>
std::size_t serialized_size(const T& message) noexcept {
  CdrWriter writer;
  return detail::encode_into(writer, message);
}

/// Writes the message as ROS 2 has it on the wire: 00 01 00 00, then little-endian plain CDR (XCDR1). Returns
/// the bytes written, or 0 when `buffer` is too small or a string is over its type's bound; the buffer's
/// content is then undefined. Wait-free, no allocation.
template <HasFields T>
[[nodiscard]] std::size_t encode(const T& message, std::span<std::byte> buffer) noexcept {
  CdrWriter writer(buffer);
  const std::size_t size = detail::encode_into(writer, message);
  return writer.fitted() ? size : 0;
}

}  // namespace takt::msgs
