// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace takt::msgs {

/// What a field, or an element of an array, is. The numbers are those of
/// type_description_interfaces/msg/FieldType, which the type hash is made of.
enum class FieldKind : std::uint8_t {
  kMessage = 1,
  kInt8 = 2,
  kUint8 = 3,  ///< `char` too
  kInt16 = 4,
  kUint16 = 5,
  kInt32 = 6,
  kUint32 = 7,
  kInt64 = 8,
  kUint64 = 9,
  kFloat32 = 10,
  kFloat64 = 11,
  kBool = 15,
  kByte = 16,
  kString = 17,
  kWString = 18,
};

enum class ArrayKind : std::uint8_t { kSingle, kFixed, kBounded, kUnbounded };

struct TypeDescription;

struct FieldDescription {
  std::string name;
  FieldKind kind = FieldKind::kMessage;
  ArrayKind array = ArrayKind::kSingle;
  std::size_t capacity = 0;                       ///< of a fixed or bounded array
  std::size_t string_bound = 0;                   ///< 0: none
  std::shared_ptr<const TypeDescription> nested;  ///< set where kind is kMessage
  std::string default_value;                      ///< as written; empty: none
};

struct ConstantDescription {
  std::string name;
  FieldKind kind = FieldKind::kInt32;
  std::string value;  ///< as written, a string without its quotes
};

/// A message type known at run time: enough to encode, decode, print and read any message of it. Immutable
/// once made. A service is described as three messages and one that holds them, as ROS 2 does.
struct TypeDescription {
  std::string name;  ///< "std_msgs/msg/Header"
  std::vector<FieldDescription> fields;
  std::vector<ConstantDescription> constants;
  std::string definition;    ///< the text that it was read from
  std::size_t at_least = 0;  ///< bytes that its shortest encoding takes, without alignment
};

/// Bytes of a primitive on the wire; 0 for messages and strings.
std::size_t width_of(FieldKind kind) noexcept;

/// As in a .msg file: "float64", "string"; "message" for kMessage.
std::string_view name_of(FieldKind kind) noexcept;

/// A field's type as in a .msg file: "geometry_msgs/Point[]", "string<=256", "float64[9]".
std::string type_text(const FieldDescription& field);

/// The name of the only field of a message without any, which takes a byte on the wire.
inline constexpr std::string_view kEmptyMessageField = "structure_needs_at_least_one_member";

/// Whether the message has no field of its own.
bool is_empty(const TypeDescription& type) noexcept;

/// All types that are reached from this one, itself left out, each once, sorted by name.
std::vector<const TypeDescription*> referenced_types(const TypeDescription& type);

/// The definition and those of all types it refers to, separated as in bag files ("====", "MSG:
/// package/Type"). A TypeCatalog reads it with add_bundle().
std::string definition_bundle(const TypeDescription& type);

}  // namespace takt::msgs
