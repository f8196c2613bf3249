// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "lab/common/child_process.hpp"
#include "lab/common/cpu_usage.hpp"
#include "takt/core/time.hpp"

namespace takt::lab {

enum class LoadKind { none, stress_ng };

/// Below this share of busy time on any core a run under load proves nothing, and is not used.
inline constexpr double kLoadedPct = 95.0;

/// stress-ng on every core, as a child process that dies with this object, and with this process however it
/// ends. Make it in a thread that lives longer than the load (the kernel ends the child with the thread that
/// started it).
class Load {
 public:
  /// Starts it and waits until it burns CPU time (at most 5 s). `longest` is a limit of its own, should all
  /// else fail. Errors: CannotMeasure when stress-ng is missing or does not come up.
  Load(LoadKind kind, Duration longest);
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  LoadKind kind() const noexcept { return kind_; }
  /// As it could be typed; empty without load.
  const std::string& command() const noexcept { return command_; }
  /// False once the child has ended by itself.
  bool running() noexcept;
  /// Ends it now: SIGTERM, then SIGKILL, then it is waited for.
  void stop() noexcept;
  /// What it and its workers had of the CPUs; known once it has ended.
  Duration cpu_time() const noexcept;

 private:
  LoadKind kind_;
  std::string command_;
  std::optional<ChildProcess> child_;
};

/// Whether the load held: empty, or why the run is not to be used ("core 1 was busy for 83.1 % only ...").
std::string load_fault(LoadKind kind, const CpuUsage& usage, bool still_running);

}  // namespace takt::lab
