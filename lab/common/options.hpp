// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace takt::lab {

/// The shortest length of a run that an option takes.
inline constexpr double kShortestRun = 0.001;

/// For options in seconds: a decimal number from a millisecond to `longest`; the message names the value and
/// the range.
CLI::Validator seconds_up_to(double longest);

/// For options that count: decimal digits alone (no sign, no "0x", no leading zero, which CLI11 would read as
/// octal), from `least` to `most`.
CLI::Validator whole_number(long long least, long long most);

/// For other quantities: a decimal number from `least` to `most`.
CLI::Validator decimal_number(double least, double most);

/// For amounts of memory: a whole number of bytes, or of binary units as in "512m" or "1g"; from 64 MiB.
CLI::Validator memory_size();
/// In bytes; 0 for what memory_size() does not let through.
std::uint64_t bytes_of(const std::string& text);

/// For options that name a folder: not the empty word, which a script's unset variable gives.
CLI::Validator folder_name();

}  // namespace takt::lab
