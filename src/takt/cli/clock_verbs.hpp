// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/common/console.hpp"
#include "takt/cli/verb.hpp"
#include "takt/graph/context.hpp"
#include "takt/sim/clock_command.hpp"

namespace takt::cli {

struct ClockRun {
  std::string topic = "/clock";
  bool json = false;
  sim::WorldOptions world;
  std::string rtf_topic, log;     // empty: the default, none
  std::optional<double> seconds;  // of wall time
  std::string scheduling = "normal";
  int priority = 80;  // with fifo
  std::vector<int> cpus;
  bool force = false;
};

/// A clock and its verbs see each other, whatever the environment says of a program's nodes.
Context::SharedPtr clock_context(std::uint32_t last_misses = InitOptions{}.last_misses);

/// `takt clock`: is the source of simulated time until it is ended.
int run_clock(const ClockRun& options, lab::Console& console);

struct ClockQuestion {
  sim::ClockCommand command;
  bool wait = false;  // until it is paused again
};

/// `takt clock pause` and the like. Errors: SetupError when no clock runs, answers or does it.
int ask_clock(const std::string& topic, const ClockQuestion& question, lab::Console& console);

/// `takt clock` with its verbs.
std::vector<Verb> add_clock(CLI::App& root);

}  // namespace takt::cli
