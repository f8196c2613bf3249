// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "takt/sim/clock_command.hpp"
#include "takt/timing/verdict.hpp"

/// A clock's state in words and as JSON (docs/formats/clock.md).
namespace takt::cli {

nlohmann::ordered_json to_json(const sim::ClockStatus& status);

/// "paused at 2.5 s", "stepping at 1 s, 3 steps to go", "running to a time at 2.5 s".
std::string state_in_words(const sim::ClockStatus& status);
/// "real time factor: 1 wanted; since the start 0.999, worst window of 100 ms 0.95 (best 1.01), ...".
std::string factors_in_words(const sim::ClockStatus& status);
/// What a run came to, several lines.
std::string summary(const sim::ClockStatus& status, const std::vector<timing::Verdict>& verdicts);

}  // namespace takt::cli
