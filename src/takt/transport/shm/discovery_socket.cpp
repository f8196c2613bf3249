// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/discovery_socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "takt/core/error.hpp"
#include "takt/core/fork.hpp"
#include "takt/core/unnamed_file.hpp"
#include "takt/transport/shm/announcement.hpp"

namespace takt::shm {
namespace {

constexpr int kSocketType = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

std::optional<sockaddr_un> address_of(const std::filesystem::path& path) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto& text = path.native();
  if (text.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

const sockaddr* general(const sockaddr_un& address) noexcept {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// The kernel adds the sender's credentials from the first datagram on, so this comes before the name.
bool ask_for_credentials(int fd) noexcept {
  const int on = 1;
  return ::setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
}

Sent outcome_of(int error) noexcept {
  switch (error) {
    case EAGAIN:
      return Sent::full;
    case ECONNREFUSED:
    case ECONNRESET:
    case ENOTCONN:
    case ENOENT:
      return Sent::refused;
    default:
      return Sent::failed;
  }
}

}  // namespace

void Descriptor::reset() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

DiscoveryInbox::DiscoveryInbox(const std::filesystem::path& path)
    : path_(path), fork_generation_(ForkGuard::generation()), buffer_(kMaxDatagram + 1) {
  const auto address = address_of(path);
  if (!address) {
    throw SetupError("the path of a socket may have 107 bytes, this one has " +
                         std::to_string(path.native().size()) + ": " + path.string(),
                     "set TAKT_SHM_DIR to a folder with a shorter path");
  }
  fd_ = ForkGuard::open_guarded([] { return ::socket(AF_UNIX, kSocketType, 0); });
  if (fd_ >= 0 && ask_for_credentials(fd_) && ::bind(fd_, general(*address), sizeof *address) == 0) return;
  const int why = errno;
  if (fd_ >= 0) ForkGuard::close_guarded(fd_);
  throw_system_error("cannot create the socket " + path.string(), why);
}

DiscoveryInbox::~DiscoveryInbox() {
  if (fork_generation_ != ForkGuard::generation()) return;
  ::unlink(path_.c_str());
  ForkGuard::close_guarded(fd_);
}

DiscoveryInbox::Datagram DiscoveryInbox::receive() noexcept {
  iovec part{buffer_.data(), buffer_.size()};
  alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(ucred))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const auto size = ::recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
  if (size < 0) return {};
  Datagram datagram;
  datagram.what = Received::unusable;
  const auto* header = CMSG_FIRSTHDR(&message);
  if ((message.msg_flags & MSG_TRUNC) != 0 || header == nullptr || header->cmsg_level != SOL_SOCKET ||
      header->cmsg_type != SCM_CREDENTIALS || header->cmsg_len < CMSG_LEN(sizeof(ucred))) {
    return datagram;
  }
  ucred sender{};
  std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
  datagram.what = Received::datagram;
  datagram.bytes = std::span<const std::byte>(buffer_).first(static_cast<std::size_t>(size));
  datagram.pid = sender.pid;
  datagram.uid = sender.uid;
  return datagram;
}

DiscoveryOutlet::DiscoveryOutlet(const std::filesystem::path& inbox) noexcept
    : fd_(::socket(AF_UNIX, kSocketType, 0)) {
  const auto address = address_of(inbox);
  if (!fd_ || !address) {
    state_ = Sent::failed;
  } else if (::connect(fd_.get(), general(*address), sizeof *address) != 0) {
    state_ = outcome_of(errno);
  }
}

Sent DiscoveryOutlet::send(std::span<const std::byte> datagram) noexcept {
  if (state_ != Sent::sent) return state_;
  const auto sent = ::send(fd_.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL);
  return sent >= 0 ? Sent::sent : outcome_of(errno);
}

}  // namespace takt::shm
