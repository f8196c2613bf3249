// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/scalar_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "takt/msgs/unicode.hpp"

namespace takt::msgs {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// A whole number's sign and magnitude.
struct Whole {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

int base_of(std::string_view& digits) {
  if (digits.size() < 3 || digits[0] != '0') return 10;
  int base = 10;
  switch (std::tolower(static_cast<unsigned char>(digits[1]))) {
    case 'x':
      base = 16;
      break;
    case 'o':
      base = 8;
      break;
    case 'b':
      base = 2;
      break;
    default:
      return base;
  }
  digits.remove_prefix(2);
  return base;
}

std::optional<Whole> parse_whole(std::string_view text) {
  Whole whole;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    whole.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const int base = base_of(text);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole.magnitude, base);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return whole;
}

template <typename T>
std::string put_whole(CdrWriter& writer, std::string_view text) {
  using Limits = std::numeric_limits<T>;
  const std::optional<Whole> whole = parse_whole(text);
  const auto range = [] { return fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()); };
  if (!whole) return range();
  const auto most = static_cast<std::uint64_t>(Limits::max());
  const std::uint64_t limit = whole->negative ? (Limits::is_signed ? most + 1 : 0) : most;
  if (whole->magnitude > limit) return range();
  writer.put(static_cast<T>(whole->negative ? 0 - whole->magnitude : whole->magnitude));
  return {};
}

std::optional<double> parse_float(std::string_view text) {
  std::string word = lower(text);
  const bool negative = !word.empty() && word[0] == '-';
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.erase(0, 1);
  const double sign = negative ? -1.0 : 1.0;
  if (word == "nan" || word == ".nan") return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (word == "inf" || word == ".inf" || word == "infinity")
    return sign * std::numeric_limits<double>::infinity();
  if (word.empty() || !(std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '.'))
    return std::nullopt;
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return sign * value;
}

std::string put_float(CdrWriter& writer, FieldKind kind, std::string_view text) {
  const std::optional<double> value = parse_float(text);
  if (!value) return "a number";
  if (kind == FieldKind::kFloat64) {
    writer.put(*value);
    return {};
  }
  if (std::isfinite(*value) && std::abs(*value) > static_cast<double>(std::numeric_limits<float>::max())) {
    return fmt::format("a number up to {}", std::numeric_limits<float>::max());
  }
  writer.put(static_cast<float>(*value));
  return {};
}

std::string put_bool(CdrWriter& writer, std::string_view text) {
  const std::string word = lower(text);
  const bool yes = word == "true" || word == "1" || word == "yes" || word == "on";
  if (!yes && word != "false" && word != "0" && word != "no" && word != "off") return "true or false";
  writer.put(yes);
  return {};
}

std::string put_string(CdrWriter& writer, std::size_t bound, std::string_view text) {
  if (bound != 0 && text.size() > bound) return fmt::format("a string of at most {} bytes", bound);
  writer.put_length(text.size() + 1);
  writer.put_bytes(text.data(), text.size());
  writer.put('\0');
  return {};
}

std::string put_wide_string(CdrWriter& writer, std::size_t bound, std::string_view text) {
  const std::u16string wide = to_utf16(text);
  if (bound != 0 && wide.size() > bound) return fmt::format("a string of at most {} characters", bound);
  writer.put_length(wide.size());
  for (const char16_t unit : wide) writer.put(static_cast<std::uint32_t>(unit));
  return {};
}

std::string put_value(CdrWriter& writer, FieldKind kind, std::size_t bound, std::string_view text) {
  switch (kind) {
    case FieldKind::kBool:
      return put_bool(writer, text);
    case FieldKind::kByte:
    case FieldKind::kUint8:
      return put_whole<std::uint8_t>(writer, text);
    case FieldKind::kInt8:
      return put_whole<std::int8_t>(writer, text);
    case FieldKind::kUint16:
      return put_whole<std::uint16_t>(writer, text);
    case FieldKind::kInt16:
      return put_whole<std::int16_t>(writer, text);
    case FieldKind::kUint32:
      return put_whole<std::uint32_t>(writer, text);
    case FieldKind::kInt32:
      return put_whole<std::int32_t>(writer, text);
    case FieldKind::kUint64:
      return put_whole<std::uint64_t>(writer, text);
    case FieldKind::kInt64:
      return put_whole<std::int64_t>(writer, text);
    case FieldKind::kFloat32:
    case FieldKind::kFloat64:
      return put_float(writer, kind, text);
    case FieldKind::kString:
      return put_string(writer, bound, text);
    case FieldKind::kWString:
      return put_wide_string(writer, bound, text);
    case FieldKind::kMessage:
      break;
  }
  return "a message";
}

template <typename T>
std::string shortest(T value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string put_scalar(CdrWriter& writer, FieldKind kind, std::size_t string_bound, std::string_view text) {
  const std::string wanted = put_value(writer, kind, string_bound, text);
  if (wanted.empty()) return {};
  constexpr std::size_t kShown = 40;
  const std::string shown =
      text.size() > kShown ? std::string(text.substr(0, kShown)) + "..." : std::string(text);
  return fmt::format("'{}' is not a {}: it must be {}", shown, name_of(kind), wanted);
}

std::string float_text(float value) { return shortest(value); }
std::string float_text(double value) { return shortest(value); }

}  // namespace takt::msgs
