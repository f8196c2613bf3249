// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/clock_command.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "takt/sim/pacer.hpp"

namespace takt::sim {

std::string words_of(Refusal refusal, const ClockCommand& command, const ClockStatus& status) {
  const auto seconds = [](ClockTime time) { return to_seconds(time.time_since_epoch()); };
  switch (refusal) {
    case Refusal::none:
      return "";
    case Refusal::not_paused:
      return fmt::format("the clock is {}, and only a paused one can be stepped: pause it first",
                         to_string(status.state));
    case Refusal::bad_steps:
      return fmt::format("{} steps cannot be done: ask for 1 to {}", command.steps, kMostSteps);
    case Refusal::in_the_past:
      return fmt::format("{:.9g} s lies in the past: simulated time is {:.9g} s", seconds(command.time),
                         seconds(status.sim_time));
    case Refusal::bad_time:
      return fmt::format("no simulated time to run to: it ends at {} s", INT32_MAX);
    case Refusal::bad_factor:
      return fmt::format(
          "a real time factor of {:g} cannot be kept: use one from {:g} to {:g}, or 0 for as fast as "
          "possible",
          command.rtf, kFlatOutBelow, kLargestFactor);
    case Refusal::flat_out_real_time:
      return "the clock runs on a real-time thread, which must not run as fast as possible: it would never "
             "wait, and starve all others of its CPU";
    case Refusal::too_many_factors:
      return "the factor had too many different values: end the clock and start it anew";
    case Refusal::unknown_command:
      return fmt::format("there is no command {}", static_cast<unsigned>(command.kind));
    case Refusal::stopped:
      return "the clock has ended";
  }
  return "?";
}

}  // namespace takt::sim
