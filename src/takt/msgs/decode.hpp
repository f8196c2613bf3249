// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "takt/msgs/cdr_reader.hpp"
#include "takt/msgs/cdr_status.hpp"
#include "takt/msgs/fields.hpp"
#include "takt/msgs/layout.hpp"
#include "takt/msgs/member_kinds.hpp"

namespace takt::msgs {

namespace detail {

/// Gets members one after another; the visitor of Fields<T>::visit.
class Decoder {
 public:
  explicit Decoder(CdrReader& reader) noexcept : reader_(reader) {}

  template <typename T>
  bool operator()(const char* name, T& value, std::size_t string_bound) {
    if (get(value, string_bound)) return true;
    reader_.status().add_field(name);
    return false;
  }

  template <typename T>
  bool get(T& value, std::size_t string_bound) {
    if constexpr (Primitive<T>) {
      return reader_.get(value);
    } else if constexpr (kIsString<T>) {
      return get_string(value, string_bound);
    } else if constexpr (kIsSequence<T>) {
      return get_sequence(value, string_bound);
    } else if constexpr (kIsArray<T>) {
      return get_elements(value, string_bound);
    } else {
      return Fields<T>::visit(value, *this);
    }
  }

 private:
  bool get_string(std::string& value, std::size_t bound) {
    const char* data = nullptr;
    std::size_t size = 0;
    if (!reader_.get_string(bound, data, size)) return false;
    value.assign(data, size);
    return true;
  }

  bool get_string(std::u16string& value, std::size_t bound) {
    std::uint32_t length = 0;
    if (!reader_.get_length(sizeof(std::uint32_t), length)) return false;
    if (bound != 0 && length > bound) return reader_.fail_length(CdrProblem::kBound, length);
    value.resize(length);
    for (char16_t& character : value) {
      std::uint32_t wide = 0;
      if (!reader_.get(wide)) return false;
      if (wide > 0xFFFF) return reader_.fail(CdrProblem::kCharacter, wide);
      character = static_cast<char16_t>(wide);
    }
    return true;
  }

  template <typename T>
  bool get_sequence(T& values, std::size_t string_bound) {
    constexpr std::size_t kBound = SequenceTraits<T>::kBound;
    std::uint32_t length = 0;
    if (!reader_.get_length(kLayout<typename T::value_type>.at_least, length)) return false;
    if (kBound != 0 && length > kBound) return reader_.fail_length(CdrProblem::kBound, length);
    values.resize(length);
    return get_elements(values, string_bound);
  }

  template <typename T>
  bool get_elements(T& values, std::size_t string_bound) {
    using Element = typename T::value_type;
    if constexpr (std::is_same_v<Element, bool>) {
      return get_bools(values);
    } else {
      if constexpr (kBlock<Element> && !kLayout<Element>.has_bool) {
        if (sizeof(Element) == 1 || !reader_.swaps()) return get_block(values);
      }
      for (Element& value : values) {
        if (!get(value, string_bound)) return false;
      }
      return true;
    }
  }

  template <typename T>
  bool get_block(T& values) {
    using Element = typename T::value_type;
    if (values.empty()) return true;
    const std::byte* data = nullptr;
    if (!reader_.get_bytes(values.size() * sizeof(Element), kLayout<Element>.alignment, data)) return false;
    std::memcpy(static_cast<void*>(std::to_address(values.begin())), data, values.size() * sizeof(Element));
    return true;
  }

  template <typename T>
  bool get_bools(T& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bool value = false;
      if (!reader_.get(value)) return false;
      values[i] = value;
    }
    return true;
  }

  CdrReader& reader_;
};

}  // namespace detail

/// Reads a message from its wire form, of either byte order. The bytes may be anything; a false status says
/// what is wrong and where, and `message` is then partly filled. Bytes after the message are ignored.
/// Allocates only for strings and sequences that `message` has no room for yet, and never more than a few
/// times what the bytes hold.
template <HasFields T>
CdrStatus decode(std::span<const std::byte> bytes, T& message) {
  CdrReader reader(bytes);
  if (reader.good()) detail::Decoder(reader).get(message, 0);
  return reader.status();
}

}  // namespace takt::msgs
