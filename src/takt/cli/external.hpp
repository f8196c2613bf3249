// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace takt::cli {

/// The program takt-<verb>: beside this binary, else on PATH.
std::optional<std::filesystem::path> find_external(const std::string& verb);

/// Becomes that program, with `words` as its arguments; returns only when that fails.
/// Errors: SetupError.
[[noreturn]] void become(const std::filesystem::path& program, const std::vector<std::string>& words);

}  // namespace takt::cli
