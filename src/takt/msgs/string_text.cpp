// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/string_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "takt/msgs/unicode.hpp"

namespace takt::msgs {

namespace {

bool is_alpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Words that YAML reads as something else than a string.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 10> kWords{"true", "false", "null", "yes", "no",
                                                    "on",   "off",   "nan",  "inf", "y"};
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "n" || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// Only characters that stand for themselves in YAML: no control characters, no separators, valid UTF-8.
bool is_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF || c >= 0xFFFD)
      return false;
  }
  return true;
}

bool is_safe_without_quotes(std::string_view text) {
  if (text.empty() || !(is_alpha(text.front()) || text.front() == '/' || text.front() == '_')) return false;
  if (text.back() == ' ' || text.back() == ':' || is_reserved(text)) return false;
  return text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos;
}

}  // namespace

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string yaml_string(std::string_view text) {
  if (!is_printable(text)) return json_string(text);
  if (is_safe_without_quotes(text)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

std::string shortened(std::string_view text, std::size_t most) {
  if (most == 0 || text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U)
    --most;  // not within a character
  return std::string(text.substr(0, most)) + "...";
}

}  // namespace takt::msgs
