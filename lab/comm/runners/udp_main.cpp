// SPDX-License-Identifier: Apache-2.0
// UDP on the loopback interface, one socket for each reader.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "lab/comm/socket_ends.hpp"

namespace takt::lab::comm {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Socket new_socket(const Stage& stage) {
  Socket socket(checked(::socket(AF_INET, SOCK_DGRAM, 0), "a socket"));
  set_buffers(socket, stage);
  return socket;
}

void be_reader(Stage& stage, std::size_t reader) {
  const auto socket = new_socket(stage);
  auto address = loopback(0);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  checked(::bind(socket.fd(), plain, sizeof address), "a port");
  socklen_t length = sizeof address;
  checked(::getsockname(socket.fd(), plain, &length), "a port's number");
  stage.ports[reader].store(ntohs(address.sin_port));
  ++stage.ready;
  receive_until_over(stage, reader, socket);
}

void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  wait_for_readers(stage);
  std::vector<Socket> sockets;
  for (std::size_t i = 0; i < stage.round.readers; ++i) {
    sockets.push_back(new_socket(stage));
    const auto address = loopback(stage.ports[i].load());
    checked(::connect(sockets.back().fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            "connecting");
  }
  send_to_all(stage, sockets, while_connected);
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  return takt::lab::comm::run_stack(
      argc, argv, {.be_reader = takt::lab::comm::be_reader, .be_sender = takt::lab::comm::be_sender});
}
