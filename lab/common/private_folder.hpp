// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace takt::lab {

/// A folder in memory that only this user can enter; it goes away with the object. Those of processes that
/// were killed are removed by the next one that is made.
class PrivateFolder {
 public:
  /// In /dev/shm, else in the folder for temporary files. Errors: CannotMeasure with the reason.
  explicit PrivateFolder(std::string_view purpose);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace takt::lab
