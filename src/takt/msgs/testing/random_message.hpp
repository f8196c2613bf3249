// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "takt/msgs/type_description.hpp"

/// For tests: messages of any type with random content, written by Fast-CDR, the library of ROS 2's own
/// middleware.
namespace takt::msgs::testing {

class RandomMessage {
 public:
  explicit RandomMessage(unsigned seed, bool big_endian = false)
      : random_(seed),
        cdr_(buffer_,
             big_endian ? eprosima::fastcdr::Cdr::BIG_ENDIANNESS : eprosima::fastcdr::Cdr::LITTLE_ENDIANNESS,
             eprosima::fastcdr::Cdr::DDS_CDR) {
    cdr_.serialize_encapsulation();
  }

  /// With its encapsulation header and padded as ROS 2 does.
  std::vector<std::byte> of(const TypeDescription& type) {
    message(type);
    const std::size_t size = cdr_.getSerializedDataLength();
    const auto* data = reinterpret_cast<const std::byte*>(memory().data());
    std::vector<std::byte> bytes(data, data + size);
    std::fill_n(memory().begin(), size, '\0');
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return bytes;
  }

 private:
  /// Zeros wherever nothing is being written: Fast-CDR leaves the bytes between fields as they are.
  static std::vector<char>& memory() {
    static std::vector<char> zeros(std::size_t{1} << 20U);
    return zeros;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

  void message(const TypeDescription& type) {
    for (const FieldDescription& field : type.fields) {
      std::size_t count = field.array == ArrayKind::kSingle ? 1 : field.capacity;
      if (field.array == ArrayKind::kUnbounded) count = below(4);
      if (field.array == ArrayKind::kBounded) count = below(std::min<std::size_t>(field.capacity, 3) + 1);
      if (field.array == ArrayKind::kUnbounded || field.array == ArrayKind::kBounded) {
        cdr_.serialize(static_cast<std::uint32_t>(count));
      }
      for (std::size_t i = 0; i < count; ++i) element(field);
    }
  }

  void element(const FieldDescription& field) {
    if (field.name == kEmptyMessageField)
      return void(cdr_.serialize(std::uint8_t{0}));  // not random: no text has it
    switch (field.kind) {
      case FieldKind::kMessage:
        message(*field.nested);
        break;
      case FieldKind::kInt8:
        put<std::int8_t>();
        break;
      case FieldKind::kByte:
      case FieldKind::kUint8:
        put<std::uint8_t>();
        break;
      case FieldKind::kInt16:
        put<std::int16_t>();
        break;
      case FieldKind::kUint16:
        put<std::uint16_t>();
        break;
      case FieldKind::kInt32:
        put<std::int32_t>();
        break;
      case FieldKind::kUint32:
        put<std::uint32_t>();
        break;
      case FieldKind::kInt64:
        put<std::int64_t>();
        break;
      case FieldKind::kUint64:
        put<std::uint64_t>();
        break;
      case FieldKind::kFloat32:
        floating<float, std::uint32_t>();
        break;
      case FieldKind::kFloat64:
        floating<double, std::uint64_t>();
        break;
      case FieldKind::kBool:
        cdr_.serialize(below(2) == 1);
        break;
      case FieldKind::kString:
        cdr_.serialize(text());
        break;
      case FieldKind::kWString:
        cdr_.serialize(std::wstring(below(5), L'\u20AC'));
        break;
    }
  }

  template <typename T>
  void put() {
    cdr_.serialize(static_cast<T>(random_()));
  }

  template <typename T, typename Bits>
  void floating() {
    T value{};
    do value = std::bit_cast<T>(static_cast<Bits>(random_()));
    while (!std::isfinite(value));
    cdr_.serialize(value);
  }

  std::string text() {
    static const std::vector<std::string> kTexts{
        "",    "odom",    "true", "12", "a: b # c", "it's", "zwei\nZeilen", "\xE2\x82\xAC", "/a/b",
        " x ", "\"q\"\\", "- 1",  "[1", "\t",       "~",    "base_link"};
    return kTexts[below(kTexts.size())];
  }

  std::mt19937_64 random_;
  eprosima::fastcdr::FastBuffer buffer_{memory().data(), memory().size()};
  eprosima::fastcdr::Cdr cdr_;
};

}  // namespace takt::msgs::testing
