// SPDX-License-Identifier: Apache-2.0
// Sockets of the host (AF_UNIX, SOCK_SEQPACKET), one for each reader: what a program does without a library.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "lab/comm/socket_ends.hpp"

namespace takt::lab::comm {
namespace {

sockaddr_un address_of(const Stage& stage, std::size_t reader) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1, "{}/{}",
                   stage.folder.data(), reader);
  return address;
}

Socket new_socket(const Stage& stage) {
  Socket socket(checked(::socket(AF_UNIX, SOCK_SEQPACKET, 0), "a socket"));
  set_buffers(socket, stage);
  return socket;
}

void be_reader(Stage& stage, std::size_t reader) {
  const auto listener = new_socket(stage);
  const auto address = address_of(stage, reader);
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  checked(::bind(listener.fd(), plain, sizeof address), "a socket's name");
  checked(::listen(listener.fd(), 1), "listening");
  ++stage.ready;
  const Socket socket(checked(::accept(listener.fd(), nullptr, nullptr), "accepting"));
  set_buffers(socket, stage);
  receive_until_over(stage, reader, socket);
}

void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  wait_for_readers(stage);
  std::vector<Socket> sockets;
  for (std::size_t i = 0; i < stage.round.readers; ++i) {
    sockets.push_back(new_socket(stage));
    const auto address = address_of(stage, i);
    const auto* plain = reinterpret_cast<const sockaddr*>(&address);
    checked(::connect(sockets.back().fd(), plain, sizeof address), "connecting");
  }
  send_to_all(stage, sockets, while_connected);
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  return takt::lab::comm::run_stack(
      argc, argv, {.be_reader = takt::lab::comm::be_reader, .be_sender = takt::lab::comm::be_sender});
}
