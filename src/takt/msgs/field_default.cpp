// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/field_default.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstddef>

#include "takt/msgs/scalar_text.hpp"

namespace takt::msgs {

namespace {

std::string put_text(CdrWriter& writer, const FieldDescription& field) {
  const bool is_string = field.kind == FieldKind::kString || field.kind == FieldKind::kWString;
  const std::string text = is_string ? unquoted(field.default_value) : field.default_value;
  return put_scalar(writer, field.kind, field.string_bound, text);
}

std::string put_list(CdrWriter& writer, const FieldDescription& field) {
  YAML::Node list;
  try {
    list = YAML::Load(field.default_value);
  } catch (const YAML::Exception& error) {
    return fmt::format("the default {} cannot be read: {}", field.default_value, error.what());
  }
  if (!list.IsSequence()) return fmt::format("the default of {} must be a list, [1, 2]", type_text(field));
  const bool too_many = field.array != ArrayKind::kUnbounded && list.size() > field.capacity;
  if (too_many || (field.array == ArrayKind::kFixed && list.size() < field.capacity)) {
    return fmt::format("the default has {} elements, the type is {}", list.size(), type_text(field));
  }
  if (field.array != ArrayKind::kFixed) writer.put_length(list.size());
  for (const YAML::Node& element : list) {
    if (!element.IsScalar()) return "an element of the default is no single value";
    if (std::string wrong = put_scalar(writer, field.kind, field.string_bound, element.Scalar());
        !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

std::string put_stated(CdrWriter& writer, const FieldDescription& field) {
  return field.array == ArrayKind::kSingle ? put_text(writer, field) : put_list(writer, field);
}

void put_zero(CdrWriter& writer, const FieldDescription& field) {
  switch (field.kind) {
    case FieldKind::kMessage:
      put_defaults(writer, *field.nested);
      break;
    case FieldKind::kString:
    case FieldKind::kWString:
      put_scalar(writer, field.kind, 0, "");
      break;
    default:
      put_scalar(writer, field.kind, 0, "0");
      break;
  }
}

}  // namespace

std::string unquoted(std::string_view text) {
  for (const char quote : {'"', '\''}) {
    if (text.size() < 2 || text.front() != quote || text.back() != quote) continue;
    std::string result;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i] == '\\' && text[i + 1] == quote && i + 2 < text.size()) ++i;
      result += text[i];
    }
    return result;
  }
  return std::string(text);
}

std::string check_default(const FieldDescription& field) {
  if (field.default_value.empty()) return {};
  if (field.kind == FieldKind::kMessage) return "a message as field cannot have a default";
  CdrWriter nowhere;
  return put_stated(nowhere, field);
}

void put_default(CdrWriter& writer, const FieldDescription& field) {
  if (!field.default_value.empty()) {
    put_stated(writer, field);  // its definition was checked
    return;
  }
  switch (field.array) {
    case ArrayKind::kSingle:
      put_zero(writer, field);
      break;
    case ArrayKind::kFixed:
      for (std::size_t i = 0; i < field.capacity; ++i) put_zero(writer, field);
      break;
    case ArrayKind::kBounded:
    case ArrayKind::kUnbounded:
      writer.put_length(0);
      break;
  }
}

void put_defaults(CdrWriter& writer, const TypeDescription& type) {
  for (const FieldDescription& field : type.fields) put_default(writer, field);
}

}  // namespace takt::msgs
