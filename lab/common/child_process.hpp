// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "takt/core/time.hpp"

namespace takt::lab {

struct ChildOptions {
  std::vector<std::pair<std::string, std::string>> environment{};  ///< set beside what this process has
  std::filesystem::path errors{};  ///< what it says on stderr goes there; empty: nowhere
};

/// A program that runs beside this one, in a process group of its own, with its standard streams closed. It
/// dies with this object, and with this process however it ends. Make it in a thread that lives longer (the
/// kernel ends the child with the thread that started it). One thread at a time.
class ChildProcess {
 public:
  /// `words` are the program's path and its arguments. Errors: CannotMeasure when no process can be made; a
  /// program that cannot be run ends at once, with code 127.
  explicit ChildProcess(std::vector<std::string> words, const ChildOptions& options = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const noexcept { return pid_; }
  /// False once it has ended by itself.
  bool running() noexcept;
  /// Ends it now, and its group: SIGTERM, after `patience` SIGKILL; then it is waited for.
  void stop(Duration patience = std::chrono::seconds{2}) noexcept;

  /// Once it has ended: it ended by itself, with code 0, or by the SIGTERM of stop().
  bool ended_normally() const noexcept;
  /// Once it has ended: "exit code 3", "signal 9 (Killed)".
  std::string ending() const;
  /// Once it has ended: what it and its children had of the CPUs.
  Duration cpu_time() const noexcept { return cpu_time_; }

 private:
  bool reap(int options) noexcept;

  pid_t pid_ = -1;
  bool ended_ = false;
  bool stopped_ = false;  // by stop()
  int status_ = 0;
  Duration cpu_time_{};
};

}  // namespace takt::lab
