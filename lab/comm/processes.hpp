// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "takt/core/time.hpp"

namespace takt::lab::comm {

/// What the kernel says of one process; zero for one that has ended.
struct ProcessUsage {
  Duration cpu{};
  std::uint64_t rss_kib = 0;
};
ProcessUsage usage_of(pid_t pid);

/// The processes of a round; none outlives it.
class Processes {
 public:
  Processes() = default;
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Errors: SetupError with the limit that is in the way.
  pid_t start(const std::string& program, const std::vector<std::string>& words);
  /// How the first one that has ended did so, in words, "" while all run (or ended well).
  std::string failure();
  bool any() const noexcept { return !running_.empty(); }
  void signal_all(int signal) noexcept;
  /// Gives them time to end by themselves.
  void wait_for_all(Duration patience);

 private:
  struct Process {
    pid_t pid = 0;
    std::string what;
  };
  std::vector<Process> running_;
};

}  // namespace takt::lab::comm
