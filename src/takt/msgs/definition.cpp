// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/msgs/field_default.hpp"
#include "takt/msgs/scalar_text.hpp"

namespace takt::msgs {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Lower case letters, digits and single underscores: names of packages and fields.
bool is_plain_name(std::string_view name) {
  if (name.empty() || !is_lower(name.front()) || name.back() == '_') return false;
  if (name.find("__") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

bool is_type_name(std::string_view name) {
  if (name.empty() || !is_upper(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_lower(c) || is_upper(c) || is_digit(c); });
}

bool is_constant_name(std::string_view name) {
  if (name.empty() || !is_upper(name.front()) || name.back() == '_') return false;
  if (name.find("__") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_upper(c) || is_digit(c) || c == '_'; });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::pair<std::string_view, std::string_view> first_word(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t");
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::optional<FieldKind> primitive_kind(std::string_view name) {
  if (name == "char") return FieldKind::kUint8;
  for (int id = 2; id <= 18; ++id) {
    const auto kind = static_cast<FieldKind>(id);
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

/// Reads the lines of one definition.
class Parser {
 public:
  Parser(std::string_view package, const Definition& definition)
      : package_(package), definition_(definition) {}

  ParsedDefinition parse() {
    std::string_view rest = definition_.text;
    for (line_ = definition_.first_line; !rest.empty(); ++line_) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      parse_line(trimmed(rest.substr(0, std::min(end, rest.substr(0, end).find('#')))));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw_at(definition_.origin, line_, what); }

  void parse_line(std::string_view line) {
    if (line.empty()) return;
    const auto [type, rest] = first_word(line);
    if (rest.empty()) fail(fmt::format("'{}' has a type and no name", line));
    if (const std::size_t equals = rest.find('='); equals != std::string_view::npos) {
      add_constant(type, trimmed(rest.substr(0, equals)), trimmed(rest.substr(equals + 1)));
    } else {
      const auto [name, value] = first_word(rest);
      add_field(type, name, value);
    }
  }

  void add_constant(std::string_view type, std::string_view name, std::string_view value) {
    const std::optional<FieldKind> kind = primitive_kind(type);
    if (!kind) fail(fmt::format("the type '{}' of constant {} is not a primitive one", type, name));
    if (!is_constant_name(name))
      fail(fmt::format("'{}' is no name of a constant: upper case letters, digits, _", name));
    for (const ConstantDescription& other : result_.constants) {
      if (other.name == name) fail(fmt::format("the constant {} is there twice", name));
    }
    const bool is_string = *kind == FieldKind::kString || *kind == FieldKind::kWString;
    std::string text = is_string ? unquoted(value) : std::string(value);
    CdrWriter nowhere;
    if (const std::string wrong = put_scalar(nowhere, *kind, 0, text); !wrong.empty()) fail(wrong);
    result_.constants.push_back({std::string(name), *kind, std::move(text)});
  }

  void add_field(std::string_view type, std::string_view name, std::string_view value) {
    if (!is_plain_name(name))
      fail(fmt::format("'{}' is no name of a field: lower case letters, digits, single _", name));
    for (const ParsedField& other : result_.fields) {
      if (other.field.name == name) fail(fmt::format("the field {} is there twice", name));
    }
    ParsedField parsed;
    parsed.line = line_;
    parsed.field.name = name;
    parse_type(type, parsed);
    parsed.field.default_value = value;
    if (!value.empty()) {
      if (const std::string wrong = check_default(parsed.field); !wrong.empty()) fail(wrong);
    }
    result_.fields.push_back(std::move(parsed));
  }

  void parse_type(std::string_view type, ParsedField& parsed) {
    const std::string_view whole = type;
    if (type.back() == ']') {
      const std::size_t bracket = type.rfind('[');
      if (bracket == std::string_view::npos) fail(fmt::format("'{}' has a ] without a [", whole));
      parse_array(type.substr(bracket + 1, type.size() - bracket - 2), parsed.field);
      type = type.substr(0, bracket);
    }
    if (const std::size_t bound = type.find("<="); bound != std::string_view::npos) {
      parsed.field.string_bound = number(type.substr(bound + 2), whole);
      type = type.substr(0, bound);
      if (type != "string" && type != "wstring") fail(fmt::format("'{}': only strings have a bound", whole));
    }
    if (const std::optional<FieldKind> kind = primitive_kind(type)) {
      parsed.field.kind = *kind;
    } else {
      parsed.type_name = message_name(type);
    }
  }

  void parse_array(std::string_view size, FieldDescription& field) {
    const bool bounded = size.starts_with("<=");
    field.array = size.empty() ? ArrayKind::kUnbounded : bounded ? ArrayKind::kBounded : ArrayKind::kFixed;
    if (!size.empty()) field.capacity = number(bounded ? size.substr(2) : size, size);
  }

  std::size_t number(std::string_view digits, std::string_view whole) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value == 0) {
      fail(fmt::format("'{}': a size is a whole number over 0", whole));
    }
    return value;
  }

  /// "Point" or "geometry_msgs/Point" (or "geometry_msgs/msg/Point") as "geometry_msgs/msg/Point".
  std::string message_name(std::string_view type) const {
    std::string_view package = package_;
    std::string_view name = type;
    if (const std::size_t slash = type.find('/'); slash != std::string_view::npos) {
      package = type.substr(0, slash);
      name = type.substr(slash + 1);
      if (name.starts_with("msg/")) name.remove_prefix(4);
    }
    if (!is_plain_name(package) || !is_type_name(name)) {
      fail(fmt::format("'{}' is neither a primitive type nor Package/Type", type));
    }
    return fmt::format("{}/msg/{}", package, name);
  }

  std::string_view package_;
  const Definition& definition_;
  int line_ = 1;
  ParsedDefinition result_;
};

}  // namespace

ParsedDefinition parse_definition(std::string_view package, const Definition& definition) {
  return Parser(package, definition).parse();
}

std::pair<Definition, Definition> split_service(const Definition& service) {
  const std::string& text = service.text;
  int line = service.first_line;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    if (trimmed(std::string_view(text).substr(begin, end - begin)) == "---") {
      return {Definition{text.substr(0, begin), service.origin, service.first_line},
              Definition{text.substr(next), service.origin, line + 1}};
    }
    begin = next;
  }
  throw_at(service.origin, line, "a service needs a line --- between request and response");
}

void throw_at(const std::string& origin, int line, const std::string& what) {
  throw SetupError(fmt::format("{}:{}: {}", origin, line, what));
}

}  // namespace takt::msgs
