// SPDX-License-Identifier: Apache-2.0
#include "lab/common/envelope.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "lab/common/files.hpp"

namespace takt::lab {
namespace {

std::string quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  out += '\'';
  return out;
}

}  // namespace

std::vector<std::string> this_command() {
  auto file = open_if_there("/proc/self/cmdline");
  std::vector<std::string> command;
  std::string word;
  while (std::getline(file, word, '\0')) command.push_back(word);
  return command;
}

std::string shell_line(const std::vector<std::string>& command) {
  std::string line;
  for (const auto& word : command) {
    if (!line.empty()) line += ' ';
    line += quoted(word);
  }
  return line;
}

std::string iso_time(std::chrono::system_clock::time_point at) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(at)));
}

std::string stamp(std::chrono::system_clock::time_point at) {
  return fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::chrono::system_clock::to_time_t(at)));
}

nlohmann::ordered_json document(const Envelope& envelope, const nlohmann::ordered_json& body) {
  nlohmann::ordered_json whole = {{"schema_version", kSchemaVersion},
                                  {"command", envelope.command},
                                  {"started_at", envelope.started_at},
                                  {"duration_s", to_seconds(envelope.duration)},
                                  {"environment", to_json(envelope.environment)},
                                  {"warnings", envelope.warnings}};
  for (const auto& [key, value] : body.items()) whole[key] = value;
  return whole;
}

}  // namespace takt::lab
