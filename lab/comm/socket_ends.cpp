// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/socket_ends.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lab/common/shortage.hpp"

namespace takt::lab::comm {
namespace {

struct PacketHead {
  std::uint64_t index;
  std::int64_t sent_ns;
};

void set_buffer(int fd, int option, int forced, std::size_t bytes, const char* limit) {
  const int wanted = static_cast<int>(bytes);
  if (::setsockopt(fd, SOL_SOCKET, forced, &wanted, sizeof wanted) == 0) return;  // root is not limited
  int got = 0;
  socklen_t length = sizeof got;
  if (::setsockopt(fd, SOL_SOCKET, option, &wanted, sizeof wanted) == 0 &&
      ::getsockopt(fd, SOL_SOCKET, option, &got, &length) == 0 && got / 2 >= wanted)
    return;
  throw SetupError(fmt::format("the socket's buffer holds {} bytes and not the {} of {} messages", got / 2,
                               wanted, kDepth),
                   fmt::format("sysctl -w {}={}", limit, wanted));
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

int checked(int result, const char* what) {
  if (result >= 0) return result;
  const int error = errno;
  throw SetupError(fmt::format("{}: {}", what, words_of_errno(error)), fix_of_shortage(error));
}

void set_buffers(const Socket& socket, const Stage& stage) {
  // The kernel counts what a packet occupies, which is more than its bytes.
  const std::size_t bytes = kDepth * (stage.round.size + sizeof(PacketHead) + 1024);
  set_buffer(socket.fd(), SO_SNDBUF, SO_SNDBUFFORCE, bytes, "net.core.wmem_max");
  set_buffer(socket.fd(), SO_RCVBUF, SO_RCVBUFFORCE, bytes, "net.core.rmem_max");
}

void receive_until_over(Stage& stage, std::size_t reader, const Socket& socket) {
  std::vector<std::byte> packet(sizeof(PacketHead) + stage.round.size);
  const timeval patience{.tv_sec = 0, .tv_usec = 50'000};
  checked(::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience),
          "a socket's time-out");
  schedule_this_thread(stage);
  while (!stage.over.load()) {
    const auto got = ::recv(socket.fd(), packet.data(), packet.size(), stage.round.poll ? MSG_DONTWAIT : 0);
    if (got != static_cast<ssize_t>(packet.size())) continue;
    PacketHead head{};
    std::memcpy(&head, packet.data(), sizeof head);
    if (stage.round.touched) read(packet.data() + sizeof head, stage.round.size);
    record(stage, reader, head.index, head.sent_ns);
  }
}

void send_to_all(Stage& stage, const std::vector<Socket>& sockets,
                 const std::function<void(const Stack::Send&)>& while_connected) {
  std::vector<std::byte> packet(sizeof(PacketHead) + stage.round.size);
  while_connected([&](std::uint64_t index) {
    const PacketHead head{index, stamp_ns()};
    std::memcpy(packet.data(), &head, sizeof head);
    if (stage.round.touched) fill(packet.data() + sizeof head, stage.round.size, index);
    for (const auto& socket : sockets) {
      const auto result = ::send(socket.fd(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (result < 0 && errno == EMSGSIZE) {
        throw SetupError(fmt::format("a packet cannot hold {} bytes", packet.size()),
                         "use a smaller --payload for this stack");
      }
    }
  });
}

}  // namespace takt::lab::comm
