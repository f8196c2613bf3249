// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/unicode.hpp"

namespace takt::msgs {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// How many bytes follow this first one, and the least code point that needs them; -1: no first byte.
struct Lead {
  int following;
  char32_t least;
  char32_t bits;
};

Lead lead_of(unsigned char byte) noexcept {
  if (byte < 0x80) return {0, 0, byte};
  if (byte >= 0xC2 && byte < 0xE0) return {1, 0x80, byte & 0x1FU};
  if (byte >= 0xE0 && byte < 0xF0) return {2, 0x800, byte & 0x0FU};
  if (byte >= 0xF0 && byte < 0xF5) return {3, 0x10000, byte & 0x07U};
  return {-1, 0, 0};
}

bool is_high_surrogate(char32_t unit) noexcept { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(char32_t unit) noexcept { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
  const Lead lead = lead_of(static_cast<unsigned char>(text[at]));
  const std::size_t start = at++;
  if (lead.following < 0 || text.size() - start <= static_cast<std::size_t>(lead.following))
    return kReplacement;
  char32_t code_point = lead.bits;
  for (int i = 1; i <= lead.following; ++i) {
    const auto byte = static_cast<unsigned char>(text[start + static_cast<std::size_t>(i)]);
    if ((byte & 0xC0U) != 0x80U) return kReplacement;
    code_point = code_point << 6U | (byte & 0x3FU);
  }
  const bool surrogate = is_high_surrogate(code_point) || is_low_surrogate(code_point);
  if (code_point < lead.least || code_point > 0x10FFFF || surrogate) return kReplacement;
  at = start + 1 + static_cast<std::size_t>(lead.following);
  return code_point;
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | code_point >> 6U);
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    put(0xE0U | code_point >> 12U);
    put(0x80U | (code_point >> 6U & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | code_point >> 18U);
    put(0x80U | (code_point >> 12U & 0x3FU));
    put(0x80U | (code_point >> 6U & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

std::string to_utf8(std::u16string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t code_point = text[i];
    if (is_high_surrogate(code_point) && i + 1 < text.size() && is_low_surrogate(text[i + 1])) {
      code_point = 0x10000U + ((code_point - 0xD800U) << 10U) + (text[++i] - 0xDC00U);
    } else if (is_high_surrogate(code_point) || is_low_surrogate(code_point)) {
      code_point = kReplacement;
    }
    append_utf8(result, code_point);
  }
  return result;
}

std::u16string to_utf16(std::string_view text) {
  std::u16string result;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = next_code_point(text, at);
    if (code_point < 0x10000) {
      result += static_cast<char16_t>(code_point);
    } else {
      result += static_cast<char16_t>(0xD800U + ((code_point - 0x10000U) >> 10U));
      result += static_cast<char16_t>(0xDC00U + (code_point & 0x3FFU));
    }
  }
  return result;
}

}  // namespace takt::msgs
