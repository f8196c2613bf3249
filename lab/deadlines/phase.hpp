// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "lab/deadlines/counting.hpp"
#include "takt/core/time.hpp"

namespace takt::lab::deadlines {

/// The constants of the published experiment.
inline constexpr Duration kPeriod = std::chrono::milliseconds{10};
inline constexpr Duration kInjectedSleep = std::chrono::milliseconds{22};
inline constexpr std::size_t kInjectEvery = 50;
inline constexpr double kPublishedSeconds = 5;

/// One phase of the experiment.
struct Phase {
  std::string_view name;
  bool inject = false;     ///< sleep 22 ms in callbacks 25, 75, 125, ...
  bool simulated = false;  ///< the timer lies on /clock
};

/// All phases, in the order of the published script.
inline constexpr std::array<Phase, 5> kPhases{{{"wall_baseline", false, false},
                                               {"wall_injected", true, false},
                                               {"sim_rtf1", false, true},
                                               {"sim_rtf1_injected", true, true},
                                               {"sim_rtf05", false, true}}};

/// nullptr when there is none of that name.
const Phase* find_phase(std::string_view name) noexcept;

/// Whether callback `n` (from 1) of the phase sleeps.
constexpr bool is_injected(const Phase& phase, std::size_t n) noexcept {
  return phase.inject && n % kInjectEvery == kInjectEvery / 2;
}

/// What an ideal machine would do: every callback starts on its slot or as soon as the one before has ended,
/// and takes no time but the injected sleep. The slot at exactly `length` is included. Pure: what the
/// predictions are computed from.
std::vector<Row> ideal_rows(const Phase& phase, Duration length);

}  // namespace takt::lab::deadlines
