// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/field_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "takt/core/error.hpp"

namespace takt::msgs {

namespace {

const FieldDescription& find_field(const TypeDescription& type, std::string_view name) {
  std::string known;
  for (const FieldDescription& field : type.fields) {
    if (field.name == name) return field;
    if (field.name != kEmptyMessageField) known += (known.empty() ? "" : ", ") + field.name;
  }
  throw SetupError(fmt::format("{} has no field '{}'", type.name, name),
                   known.empty() ? "it has no fields" : fmt::format("its fields are {}", known));
}

FieldStep parse_step(const TypeDescription& type, std::string_view text) {
  const std::size_t bracket = text.find('[');
  FieldStep step{&find_field(type, text.substr(0, bracket)), std::nullopt};
  if (bracket == std::string_view::npos) return step;
  const std::string_view digits = text.substr(bracket + 1, text.size() - bracket - 2);
  std::size_t element = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), element);
  if (text.back() != ']' || error != std::errc{} || end != digits.data() + digits.size()) {
    throw SetupError(fmt::format("'{}' is no element of an array", text), "write it as in ranges[3]");
  }
  const ArrayKind array = step.field->array;
  const bool outside = array != ArrayKind::kUnbounded && element >= step.field->capacity;
  if (array == ArrayKind::kSingle || outside) {
    throw SetupError(fmt::format("{} in {} is {}, which has no element {}", step.field->name, type.name,
                                 type_text(*step.field), element));
  }
  step.element = element;
  return step;
}

}  // namespace

FieldPath parse_field_path(const TypeDescription& type, std::string_view text) {
  FieldPath path;
  const TypeDescription* inside = &type;
  while (!text.empty()) {
    if (inside == nullptr) {
      const FieldDescription& last = *path.back().field;
      throw SetupError(fmt::format("{} is {}, which has no field '{}'", last.name, type_text(last), text));
    }
    const std::size_t dot = std::min(text.find('.'), text.size());
    path.push_back(parse_step(*inside, text.substr(0, dot)));
    text.remove_prefix(std::min(dot + 1, text.size()));
    const bool is_one = path.back().field->array == ArrayKind::kSingle || path.back().element;
    inside = is_one ? path.back().field->nested.get() : nullptr;
  }
  return path;
}

}  // namespace takt::msgs
