// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/socket_ends.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
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

ssize_t size_of(const std::vector<std::byte>& packet) { return static_cast<ssize_t>(packet.size()); }

/// Reads the whole packet where that is asked for.
PacketHead head_of(const std::vector<std::byte>& packet, const Stage& stage) {
  PacketHead head{};
  std::memcpy(&head, packet.data(), sizeof head);
  if (stage.round.touched) read(packet.data() + sizeof head, stage.round.size);
  return head;
}

void write_packet(std::vector<std::byte>& packet, const Stage& stage, const PacketHead& head) {
  std::memcpy(packet.data(), &head, sizeof head);
  if (stage.round.touched) fill(packet.data() + sizeof head, stage.round.size, head.index);
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
  sockaddr_in from{};  // of a datagram
  const timeval patience{.tv_sec = 0, .tv_usec = 50'000};
  checked(::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience),
          "a socket's time-out");
  schedule_this_thread(stage);
  while (!stage.over.load()) {
    socklen_t length = sizeof from;
    auto* sender = reinterpret_cast<sockaddr*>(&from);
    if (::recvfrom(socket.fd(), packet.data(), packet.size(), 0, sender, &length) != size_of(packet))
      continue;
    const auto head = head_of(packet, stage);
    received(stage, reader, head.index, head.sent_ns, [&](std::uint64_t index, std::int64_t sent_ns) {
      write_packet(packet, stage, {index, sent_ns});
      ::sendto(socket.fd(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               length > 0 ? sender : nullptr, length);
    });
  }
}

void take_answers(Stage& stage, const std::vector<Socket>& sockets) {
  std::vector<std::byte> packet(sizeof(PacketHead) + stage.round.size);
  std::vector<pollfd> all;
  for (const auto& socket : sockets) all.push_back({.fd = socket.fd(), .events = POLLIN, .revents = 0});
  while (!stage.over.load()) {
    if (::poll(all.data(), all.size(), 50) <= 0) continue;
    for (const auto& one : all) {
      if ((one.revents & POLLIN) == 0) continue;
      if (::recv(one.fd, packet.data(), packet.size(), MSG_DONTWAIT) != size_of(packet)) continue;
      const auto head = head_of(packet, stage);
      answered(stage, head.index, head.sent_ns);
    }
  }
}

void send_to_all(Stage& stage, const std::vector<Socket>& sockets,
                 const std::function<void(const Stack::Send&)>& while_connected) {
  std::vector<std::byte> packet(sizeof(PacketHead) + stage.round.size);
  const auto send = [&](std::uint64_t index) {
    write_packet(packet, stage, {index, stamp_ns()});
    for (const auto& socket : sockets) {
      const auto result = ::send(socket.fd(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (result < 0 && errno == EMSGSIZE) {
        throw SetupError(fmt::format("a packet cannot hold {} bytes", packet.size()),
                         "use a smaller --payload for this stack");
      }
    }
  };
  send_meanwhile(
      stage, [&] { take_answers(stage, sockets); }, [&] { while_connected(send); });
}

}  // namespace takt::lab::comm
