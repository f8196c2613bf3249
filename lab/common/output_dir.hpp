// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace takt::lab {

/// The folder that an experiment writes into.
class OutputDir {
 public:
  /// Makes `wanted`, or, when it is empty, a folder reports/<experiment>-<time> that nobody else has (with
  /// -2, -3, ... where that time is taken), and proves that a file can be written there. `own_files` are all
  /// that the experiment may write: those of an earlier run are removed, other files stay. Errors:
  /// CannotMeasure that names the folder and the reason.
  OutputDir(const std::string& wanted, std::string_view experiment,
            const std::vector<std::string>& own_files = {});

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(std::string_view file) const { return path_ / file; }

  /// Writes a whole file, or none: under another name first. Errors: CannotMeasure that names it and the
  /// reason (a full disk, for example).
  void write(std::string_view file, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace takt::lab
