// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace takt {

/// What a child of fork() must not keep of its parent. Descriptors are O_CLOEXEC, so only children that go on
/// without exec matter.
class ForkGuard {
 public:
  /// Moves in the child at every fork of this process: an object that remembers the value of its creation
  /// knows whether it still owns what it refers to. Wait-free.
  static std::uint32_t generation() noexcept;

  /// Opens a descriptor through `open` (which returns -1 on failure, errno is kept) such that every child of
  /// a later or concurrent fork closes it at once. At most 64 at a time: beyond that -1 and EMFILE. May
  /// block.
  template <class Open>
  static int open_guarded(Open open) {
    lock();
    const int fd = open();
    const int result = fd >= 0 ? remember(fd) : fd;
    unlock();
    return result;
  }
  /// Closes what open_guarded() returned.
  static void close_guarded(int fd) noexcept;

 private:
  static void lock() noexcept;
  static void unlock() noexcept;
  static int remember(int fd) noexcept;
};

}  // namespace takt
