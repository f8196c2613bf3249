// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace takt::lab::comm {

/// The daemon's memory for messages of `payload` bytes to `readers`: each may hold its whole queue.
std::string roudi_config(std::uint32_t payload, std::uint32_t readers);

/// iceoryx's daemon, without which its programs do not start: from construction to destruction, its output
/// thrown away. Errors: SetupError when it cannot be started.
class Roudi {
 public:
  Roudi(std::uint32_t payload, std::uint32_t readers);
  ~Roudi();
  Roudi(const Roudi&) = delete;
  Roudi& operator=(const Roudi&) = delete;

 private:
  void end() noexcept;

  std::string config_ = "/tmp/takt-comm-roudi-XXXXXX";
  pid_t pid_ = 0;
};

}  // namespace takt::lab::comm
