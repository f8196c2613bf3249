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
  std::vector<std::string> phases;    ///< empty, or one of them "all": every phase
  std::size_t runs = 1;               ///< of all the phases
  double seconds = 5;                 ///< of each phase
  std::string scheduling = "normal";  ///< normal or fifo
  std::size_t threads = 1;            ///< of the executor
  std::string clock_thread = "own";   ///< own or shared: who hears /clock
  double cpu_quota = 0;               ///< CPUs; 0: none
  std::string memory;                 ///< "1g"; empty: no limit
  bool hog = false;                   ///< a busy loop beside it, within the quota
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
