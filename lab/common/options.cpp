// SPDX-License-Identifier: Apache-2.0
#include "lab/common/options.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>

namespace takt::lab {
namespace {

/// Whether all of `text` is such a number. from_chars knows neither "0x" nor "+" nor blanks.
template <class Number>
bool read_all(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && read_to == end;
}

bool has_leading_zero(const std::string& text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  return text.size() > first + 1 && text[first] == '0';
}

}  // namespace

CLI::Validator seconds_up_to(double longest) {
  const auto check = [longest](const std::string& text) -> std::string {
    double seconds = 0;
    if (!read_all(text, seconds) || !std::isfinite(seconds))
      return fmt::format("'{}' is not a decimal number of seconds", text);
    if (seconds >= kShortestRun && seconds <= longest) return "";
    return fmt::format("{} s is out of range: {} to {} s", text, kShortestRun, longest);
  };
  return {check, fmt::format("SECONDS in [{} - {}]", kShortestRun, longest), "seconds"};
}

CLI::Validator decimal_number(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double number = 0;
    if (!read_all(text, number) || !std::isfinite(number))
      return fmt::format("'{}' is not a decimal number", text);
    if (number >= least && number <= most) return "";
    return fmt::format("{} is out of range: {} to {}", text, least, most);
  };
  return {check, fmt::format("NUMBER in [{} - {}]", least, most), "number"};
}

std::uint64_t bytes_of(const std::string& text) {
  constexpr std::string_view kUnits = "kmgt";
  auto digits = text;
  unsigned shift = 0;
  if (!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0) {
    const auto unit = kUnits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(text.back()))));
    if (unit == std::string_view::npos) return 0;
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    digits.pop_back();
  }
  std::uint64_t number = 0;
  if (!read_all(digits, number) || number > (std::uint64_t{1} << (62 - shift))) return 0;
  return number << shift;
}

CLI::Validator memory_size() {
  constexpr std::uint64_t kLeast = std::uint64_t{64} << 20U;
  const auto check = [](const std::string& text) -> std::string {
    if (bytes_of(text) >= kLeast) return "";
    return fmt::format("'{}' is no amount of memory from 64 MiB: as 67108864, 512m or 1g", text);
  };
  return {check, "BYTES[kmgt]", "memory"};
}

CLI::Validator whole_number(long long least, long long most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    long long number = 0;
    if (!read_all(text, number) || has_leading_zero(text))
      return fmt::format("'{}' is not a whole decimal number from {} to {}", text, least, most);
    if (number >= least && number <= most) return "";
    return fmt::format("{} is out of range: {} to {}", text, least, most);
  };
  return {check, fmt::format("NUMBER in [{} - {}]", least, most), "number"};
}

CLI::Validator folder_name() {
  const auto check = [](const std::string& text) -> std::string {
    return text.empty() ? "the name of the folder is empty" : "";
  };
  return {check, "DIR", "folder"};
}

}  // namespace takt::lab
