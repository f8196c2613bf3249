// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace takt {

/// What a lease's file says of its owner.
struct LeaseOwner {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  ///< start of the process since boot, as /proc/<pid>/stat has it
  std::string version;            ///< of takt
};

/// The proof that a process lives: a file that it keeps locked. The kernel drops the lock with the process,
/// however it ends, so there is no watchdog and no time-out. A lease belongs to the process that created it:
/// a child of fork() neither holds it nor removes it.
///
/// The lock is an open file description's (F_OFD_SETLK): it can be asked for without being taken, and unlike
/// a process's record lock it does not go when another descriptor of the same file is closed.
class Lease {
 public:
  /// Creates folder/name, locked and filled before it has a name (so nobody sees it half made, and a process
  /// killed meanwhile leaves nothing). The name should be random: a name is never used twice.
  /// Errors: SetupError. May block and allocate.
  static std::unique_ptr<Lease> create(const std::filesystem::path& folder, std::string_view name);

  /// Removes the file, then lets the lock go.
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

  /// Whether a process holds this lease. False when there is no such file; true when it cannot be told (no
  /// permission, no descriptor left): nothing is taken from a process that may live. Some system calls.
  static bool alive(const std::filesystem::path& path) noexcept;

  /// Removes a dead one's file. True for exactly one of those who try at the same time; false when it is
  /// alive or gone. What it owned must have been reclaimed before, or be recognisable by the missing file.
  static bool reclaim(const std::filesystem::path& path) noexcept;

  /// Empty when there is no such file or it is not a lease's.
  static std::optional<LeaseOwner> owner(const std::filesystem::path& path);

 private:
  Lease(std::filesystem::path path, int fd);

  std::filesystem::path path_;
  int fd_;
  std::uint32_t generation_;
};

}  // namespace takt
