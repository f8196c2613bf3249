// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/roudi.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "takt/core/error.hpp"

extern char** environ;

namespace takt::lab::comm {

Roudi::Roudi() {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  char name[] = "iox-roudi";
  char* arguments[] = {name, nullptr};
  const int error = ::posix_spawnp(&pid_, name, &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw SetupError("iox-roudi cannot be started",
                     "install the package iceoryx, or leave it out of --stacks");
  std::this_thread::sleep_for(std::chrono::seconds{1});
  if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
    throw SetupError("iox-roudi has ended at once",
                     "end another one that runs, or leave iceoryx out of --stacks");
  }
}

Roudi::~Roudi() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace takt::lab::comm
