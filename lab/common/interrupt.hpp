// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include "takt/core/time.hpp"

namespace takt::lab {

/// While it lives, SIGINT and SIGTERM ask the experiment to end early and write what it has; a second one
/// ends the process at once. One at a time in a process. The old handlers are put back at the end.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested() noexcept;
  /// Waits until `deadline` or a request. Any thread. Returns requested().
  static bool wait_until(SteadyTime deadline) noexcept;
  /// As a signal does, for tests and for a thread that wants to end the run.
  static void request() noexcept;

 private:
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
};

}  // namespace takt::lab
