// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/type_description.hpp"

#include <map>

namespace takt::msgs {

std::size_t width_of(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::kInt8:
    case FieldKind::kUint8:
    case FieldKind::kBool:
    case FieldKind::kByte:
      return 1;
    case FieldKind::kInt16:
    case FieldKind::kUint16:
      return 2;
    case FieldKind::kInt32:
    case FieldKind::kUint32:
    case FieldKind::kFloat32:
      return 4;
    case FieldKind::kInt64:
    case FieldKind::kUint64:
    case FieldKind::kFloat64:
      return 8;
    case FieldKind::kMessage:
    case FieldKind::kString:
    case FieldKind::kWString:
      break;
  }
  return 0;
}

std::string_view name_of(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::kMessage:
      return "message";
    case FieldKind::kInt8:
      return "int8";
    case FieldKind::kUint8:
      return "uint8";
    case FieldKind::kInt16:
      return "int16";
    case FieldKind::kUint16:
      return "uint16";
    case FieldKind::kInt32:
      return "int32";
    case FieldKind::kUint32:
      return "uint32";
    case FieldKind::kInt64:
      return "int64";
    case FieldKind::kUint64:
      return "uint64";
    case FieldKind::kFloat32:
      return "float32";
    case FieldKind::kFloat64:
      return "float64";
    case FieldKind::kBool:
      return "bool";
    case FieldKind::kByte:
      return "byte";
    case FieldKind::kString:
      return "string";
    case FieldKind::kWString:
      return "wstring";
  }
  return "unknown";
}

namespace {

/// "std_msgs/msg/Header" as a .msg file writes it, "std_msgs/Header".
std::string short_name(const std::string& name) {
  const std::size_t at = name.find("/msg/");
  return at == std::string::npos ? name : name.substr(0, at) + name.substr(at + 4);
}

void collect(const TypeDescription& type, std::map<std::string_view, const TypeDescription*>& found) {
  for (const FieldDescription& field : type.fields) {
    if (field.nested && found.emplace(field.nested->name, field.nested.get()).second)
      collect(*field.nested, found);
  }
}

}  // namespace

std::string type_text(const FieldDescription& field) {
  std::string text = field.nested ? short_name(field.nested->name) : std::string(name_of(field.kind));
  if (field.string_bound > 0) text += "<=" + std::to_string(field.string_bound);
  switch (field.array) {
    case ArrayKind::kSingle:
      return text;
    case ArrayKind::kFixed:
      return text + "[" + std::to_string(field.capacity) + "]";
    case ArrayKind::kBounded:
      return text + "[<=" + std::to_string(field.capacity) + "]";
    case ArrayKind::kUnbounded:
      return text + "[]";
  }
  return text;
}

bool is_empty(const TypeDescription& type) noexcept {
  return type.fields.size() == 1 && type.fields.front().name == kEmptyMessageField;
}

std::vector<const TypeDescription*> referenced_types(const TypeDescription& type) {
  std::map<std::string_view, const TypeDescription*> found;
  collect(type, found);
  std::vector<const TypeDescription*> types;
  types.reserve(found.size());
  for (const auto& [name, description] : found) types.push_back(description);
  return types;
}

std::string definition_bundle(const TypeDescription& type) {
  std::string bundle = type.definition;
  for (const TypeDescription* referenced : referenced_types(type)) {
    if (!bundle.empty() && bundle.back() != '\n') bundle += '\n';
    bundle += std::string(80, '=') + "\nMSG: " + short_name(referenced->name) + "\n" + referenced->definition;
  }
  return bundle;
}

}  // namespace takt::msgs
