// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace takt::shm {

/// Owns a descriptor. Not for what a forked child must close.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  void reset() noexcept;
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// The datagram socket by which a process of the domain is reached. A child of fork() does not inherit it.
class DiscoveryInbox {
 public:
  /// Errors: SetupError, also when the path is too long for a socket (107 bytes).
  explicit DiscoveryInbox(const std::filesystem::path& path);
  /// Removes the file first, so that who is refused and finds no file knows that it was meant so.
  ~DiscoveryInbox();
  DiscoveryInbox(const DiscoveryInbox&) = delete;
  DiscoveryInbox& operator=(const DiscoveryInbox&) = delete;

  enum class Received : std::uint8_t { nothing, datagram, unusable };
  struct Datagram {
    Received what = Received::nothing;
    std::span<const std::byte> bytes;  ///< until the next receive()
    pid_t pid = 0;                     ///< who sent it, as the kernel says; 0: not of our PID namespace
    uid_t uid = 0;
  };
  /// Never blocks. Descriptors that somebody sends along are not taken.
  Datagram receive() noexcept;

  int fd() const noexcept { return fd_; }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  std::uint32_t fork_generation_;
  std::vector<std::byte> buffer_;
};

enum class Sent : std::uint8_t {
  sent,
  full,     ///< the receiver has not read: the outlet becomes writable when it has
  refused,  ///< nobody listens there
  failed    ///< no descriptor or memory left: try again later
};

/// A connection to one inbox, made for one burst of datagrams and kept only while that inbox is full. Each
/// has a send buffer of its own, so what a stopped process does not read takes no room from the others.
class DiscoveryOutlet {
 public:
  explicit DiscoveryOutlet(const std::filesystem::path& inbox) noexcept;
  /// Never blocks.
  Sent send(std::span<const std::byte> datagram) noexcept;
  int fd() const noexcept { return fd_.get(); }

 private:
  Descriptor fd_;
  Sent state_ = Sent::sent;  // of connecting
};

}  // namespace takt::shm
