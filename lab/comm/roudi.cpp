// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/roudi.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "lab/comm/runner.hpp"
#include "takt/core/error.hpp"

extern char** environ;

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

pid_t spawn_roudi(const std::string& config) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;  // a group of its own: Ctrl-C is the laboratory's
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string words[] = {"iox-roudi", "-m", "off", "-c", config};  // processes may be stopped for a while
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : 0;
}

}  // namespace

std::string roudi_config(std::uint32_t payload, std::uint32_t readers) {
  constexpr std::uint64_t kAlignment = 32;
  constexpr std::uint64_t kHeads = 16 + 128;  // a message's own, and what Cyclone DDS puts before it
  const std::uint64_t size = (payload + kHeads + kAlignment - 1) / kAlignment * kAlignment;
  const std::uint64_t most = std::max<std::uint64_t>(64, (std::uint64_t{2} << 30U) / size);  // 2 GiB
  const std::uint64_t count = std::min<std::uint64_t>(most, (std::uint64_t{readers} + 1) * kDepth + 16);
  return fmt::format("[general]\nversion = 1\n\n[[segment]]\n\n[[segment.mempool]]\nsize = {}\ncount = {}\n",
                     size, count);
}

Roudi::Roudi(std::uint32_t payload, std::uint32_t readers) {
  const int fd = ::mkstemp(config_.data());
  if (fd < 0) throw SetupError("no file can be written in /tmp", "make room there");
  ::close(fd);
  std::ofstream(config_) << roudi_config(payload, readers);
  pid_ = spawn_roudi(config_);
  if (pid_ == 0) {
    end();
    throw SetupError("iox-roudi cannot be started", "install the package iceoryx");
  }
  std::this_thread::sleep_for(1s);
  if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
    pid_ = 0;
    end();
    throw SetupError("iox-roudi has ended at once", "end another one that runs");
  }
}

Roudi::~Roudi() { end(); }

void Roudi::end() noexcept {
  ::unlink(config_.c_str());
  if (pid_ == 0) return;
  ::kill(pid_, SIGTERM);
  for (int i = 0; i < 100; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) return;
    std::this_thread::sleep_for(50ms);
  }
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace takt::lab::comm
