// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace takt::shm {

/// The folder in which the processes of one user and one ROS domain meet: <base>/<domain number>. Both
/// folders belong to the user and nobody else may enter them. All versions of takt share it, so that one can
/// name the other instead of not seeing it.
class Domain {
 public:
  /// Creates what is missing. `base` empty: the environment variable TAKT_SHM_DIR, else /dev/shm/takt-<uid>.
  /// The domain number is ROS_DOMAIN_ID, 0 when unset.
  /// Errors: SetupError when a folder is a link, another user's or open to others, when it cannot be created,
  /// or when ROS_DOMAIN_ID is no number from 0 to 232. May block and allocate.
  static Domain open(const std::string& base = {});
  static Domain open(const std::string& base, std::uint32_t number);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint32_t number() const noexcept { return number_; }

  /// "<kind>-<16 hex digits>", from the kernel's random numbers: never given twice.
  static std::string random_name(std::string_view kind);
  /// The number in such a name (never 0), and back. 0 for text that is no such name.
  static std::uint64_t id_of(std::string_view kind, std::string_view name) noexcept;
  static std::string name_of(std::string_view kind, std::uint64_t id);

 private:
  Domain(std::filesystem::path path, std::uint32_t number) : path_(std::move(path)), number_(number) {}

  std::filesystem::path path_;
  std::uint32_t number_;
};

}  // namespace takt::shm
