// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "lab/common/child_process.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/private_folder.hpp"
#include "lab/deadlines/clock_log.hpp"

namespace takt::lab::deadlines {

/// The clock process ended before anybody had heard it.
class ClockDied : public CannotMeasure {
 public:
  using CannotMeasure::CannotMeasure;
};

/// The simulator's stand-in: a process of its own, `takt clock`, that publishes /clock at a real time factor,
/// in shared memory that no other program sees. It ends with this object, and with this process however that
/// ends. Use it from one thread.
class ClockProcess {
 public:
  /// `program`: the command takt. Errors: CannotMeasure when it cannot be started or no folder can be made.
  ClockProcess(const std::filesystem::path& program, double rtf);
  ~ClockProcess();
  ClockProcess(const ClockProcess&) = delete;
  ClockProcess& operator=(const ClockProcess&) = delete;

  /// What a context must use to hear it.
  const std::string& shm_folder() const noexcept { return shm_folder_; }
  pid_t pid() const noexcept { return child_.pid(); }

  /// Calls `action` in a thread of its own when the process ends before stop(); once at most.
  void on_death(std::function<void()> action);
  /// Ends it, and waits for that.
  void stop() noexcept;
  /// Why it is not running (any more) though nobody stopped it; empty while all is well.
  std::string fault();
  /// The text of its log. After stop().
  std::string log_text() const;

 private:
  PrivateFolder folder_;
  std::string shm_folder_;
  bool asked_to_end_ = false;
  ChildProcess child_;
  std::jthread watcher_;
};

/// The command takt that lies beside this program.
std::filesystem::path takt_beside_this_program();

}  // namespace takt::lab::deadlines
