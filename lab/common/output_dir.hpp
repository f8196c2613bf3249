// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace takt::lab {

/// The folder that an experiment writes into.
class OutputDir {
 public:
  /// Creates `wanted`, or reports/<experiment>-<time> when it is empty, and proves that a file can be written
  /// there. Files of an earlier run in it are replaced. Errors: CannotMeasure that names the folder and the
  /// reason.
  OutputDir(const std::string& wanted, std::string_view experiment);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(std::string_view file) const { return path_ / file; }

  /// Writes a whole file. Errors: CannotMeasure that names it (a full disk, for example).
  void write(std::string_view file, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace takt::lab
