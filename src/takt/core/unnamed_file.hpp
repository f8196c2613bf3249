// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

/// Files that get their name only when they are complete: a process killed before leaves nothing behind.
namespace takt::unnamed_file {

/// A new file of mode 0600 without a name in `folder`: -1 and errno on failure. O_CLOEXEC.
int open(const std::filesystem::path& folder) noexcept;

/// Gives it its name. False and errno on failure (EEXIST: there is one of that name, which is left alone).
bool give_name(int fd, const std::filesystem::path& path) noexcept;

}  // namespace takt::unnamed_file

namespace takt {

/// Throws a SetupError: "<what>: <text of the error number>", with what to do about the errors that users
/// meet (limits on open files, full tmpfs, memory limits, permissions).
[[noreturn]] void throw_system_error(const std::string& what, int error_number);

}  // namespace takt
