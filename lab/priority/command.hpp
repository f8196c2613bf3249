// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lab/common/console.hpp"

namespace takt::lab {

/// `takt lab priority`, as the command line gives it.
struct PriorityOptions {
  std::string design = "all";       ///< 1, 2, 3 or all
  double seconds = 60;              ///< of each run
  std::string scheduling = "both";  ///< rt, normal or both
  std::string load = "stress-ng";   ///< stress-ng or none
  std::string work = "wall";        ///< wall or cpu
  int priority = 90;                ///< of SCHED_FIFO
  bool keep_awake = false;
  std::string out;  ///< folder; empty: reports/priority-<time>
  bool json = false;
};

/// Adds the verb with its options; a bad value is a CLI::ParseError.
CLI::App* add_priority(CLI::App& parent, PriorityOptions& options);

/// Runs the experiment and returns the exit code: 0 it ran, 3 it could not (what and how to mend it is on
/// stderr).
int run_priority(const PriorityOptions& options, Console& console);

}  // namespace takt::lab
