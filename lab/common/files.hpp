// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>

namespace takt::lab {

/// Opens a file that may be missing: then the stream is not good(), and errno says why. Errors: CannotMeasure
/// when the process has no descriptor left, which says nothing about the file, and for a named pipe or a
/// socket, which may never answer.
std::ifstream open_if_there(const std::filesystem::path& path);

}  // namespace takt::lab
