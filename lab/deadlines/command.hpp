// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/common/console.hpp"

namespace takt::lab {

/// `takt lab deadlines`, as the command line gives it.
struct DeadlinesOptions {
  std::vector<std::string> phases;    ///< empty: both wall phases
  double seconds = 5;                 ///< of each phase
  std::string scheduling = "normal";  ///< normal or fifo
  std::size_t threads = 1;            ///< of the executor
  bool keep_awake = false;
  std::string out;  ///< folder; empty: reports/deadlines-<time>
  bool json = false;
  bool arithmetic = false;  ///< only the source's small calculations
};

/// Adds the verb with its options; a bad value is a CLI::ParseError.
CLI::App* add_deadlines(CLI::App& parent, DeadlinesOptions& options);

/// Runs the experiment and returns the exit code. Errors: SetupError with the fix when it cannot measure.
int run_deadlines(const DeadlinesOptions& options, Console& console);

}  // namespace takt::lab
