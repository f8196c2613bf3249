// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/common/console.hpp"

namespace takt::lab {

/// `takt lab comm`, as the command line gives it.
struct CommOptions {
  std::string stage = "fanout";
  std::vector<std::string> stacks;         ///< empty: the default ones
  std::vector<std::uint32_t> payloads;     ///< empty: those of the stage
  std::vector<std::uint32_t> subscribers;  ///< likewise
  double rate_hz = 1000;
  double seconds = 0;  ///< of each stack at each point; 0: as the stage has it
  std::uint32_t rounds = 9;
  std::string load = "none";
  int priority = 0;
  bool keep_awake = false;
  bool round_trip = false;
  std::string smoke;  ///< folder of a smoke stage, for the full one
  std::string out;    ///< folder; empty: reports/comm-<time>
  bool json = false;
};

/// Adds the verb with its options; a bad value is a CLI::ParseError.
CLI::App* add_comm(CLI::App& parent, CommOptions& options);

/// Runs the experiment, or goes on with the one in the folder, and returns the exit code: 0 it ran, 3 it
/// could not (what and how to mend it is on stderr).
int run_comm(const CommOptions& options, Console& console);

}  // namespace takt::lab
