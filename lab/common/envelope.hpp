// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/common/environment.hpp"
#include "takt/core/time.hpp"

namespace takt::lab {

inline constexpr int kSchemaVersion = 1;

/// What every document begins with: schema_version, command[], started_at, duration_s, environment{},
/// warnings[].
struct Envelope {
  std::vector<std::string> command;  ///< this process's own, word by word
  std::string started_at;            ///< calendar time, UTC, ISO 8601
  Duration duration{};
  Environment environment;
  std::vector<std::string> warnings;
};

/// The command line of this process, from the kernel.
std::vector<std::string> this_command();
/// A command as it can be pasted into a shell.
std::string shell_line(const std::vector<std::string>& command);
/// "2026-01-31T12:00:00Z".
std::string iso_time(std::chrono::system_clock::time_point at);
/// "20260131-120000", local time: part of a folder's name.
std::string stamp(std::chrono::system_clock::time_point at);

/// The envelope's keys, followed by those of `body` (an object).
nlohmann::ordered_json document(const Envelope& envelope, const nlohmann::ordered_json& body);

}  // namespace takt::lab
