// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "takt/core/clock.hpp"
#include "takt/core/scheduling.hpp"

namespace takt {

class Context;

struct ExecutorOptions {
  Scheduling scheduling{};   ///< of every worker thread; default: as the thread calling spin() has it
  std::vector<int> cpus{};   ///< where the workers may run; empty: anywhere
  std::size_t threads = 1;   ///< workers, the thread that calls spin() among them; 1 .. 64
  bool lock_memory = false;  ///< mlockall and prefaulted stacks
  bool required = true;      ///< false: go on where the kernel refuses the scheduling; the verdicts say so
  /// So long a worker looks for work again and again before it sleeps: a message then costs no wake-up, and
  /// an idle worker a whole CPU. Zero: it sleeps at once.
  Duration busy_poll{};
  std::string name = "executor";  ///< of its threads: name, name/1 ...; the main thread keeps its own
  Duration watchdog =
      std::chrono::seconds{1};  ///< a real-time activation longer than this is named in the log; zero: off
  std::shared_ptr<Context> context{};  ///< default: the default context
};

}  // namespace takt
