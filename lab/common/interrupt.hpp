// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "takt/core/time.hpp"

namespace takt::lab {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask the experiment to end early and write what it has; a second
/// one, whichever it is, ends the process at once. A signal that was ignored stays ignored (nohup, a job in
/// the background of a script). One at a time in a process. The old handlers are put back at the end.
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
};

/// Calls `action` in a thread of its own as soon as the user asks to end, at once if he has already; never
/// once the destructor has returned. Errors: CannotMeasure when no thread can be made.
class OnInterrupt {
 public:
  explicit OnInterrupt(std::function<void()> action);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace takt::lab
