// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "lab/comm/runner.hpp"

/// What the runners with sockets share: one socket for each reader, one packet for each message.
namespace takt::lab::comm {

/// Closed with this object.
class Socket {
 public:
  explicit Socket(int fd) noexcept : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Errors: SetupError that says `what` failed and why, when `result` is negative.
int checked(int result, const char* what);

/// Buffers for kDepth messages of this round. Errors: SetupError when the system allows less.
void set_buffers(const Socket& socket, const Stage& stage);

/// Takes packets until the round is over, and records each.
void receive_until_over(Stage& stage, std::size_t reader, const Socket& socket);

/// Sends each message into every socket, all connected; one whose buffer is full loses it.
void send_to_all(Stage& stage, const std::vector<Socket>& sockets,
                 const std::function<void(const Stack::Send&)>& while_connected);

}  // namespace takt::lab::comm
