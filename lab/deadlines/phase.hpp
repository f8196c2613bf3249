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
inline constexpr Duration kPublishedLength = std::chrono::seconds{5};  ///< of a phase

/// One phase of the experiment.
struct Phase {
  std::string_view name;
  bool inject = false;    ///< sleep 22 ms in callbacks 25, 75, 125, ...
  double target_rtf = 0;  ///< of the /clock that the timer lies on; 0: it lies on the monotonic clock

  constexpr bool simulated() const noexcept { return target_rtf > 0; }
  /// Wall time per time of the timer's clock.
  constexpr double stretch() const noexcept { return simulated() ? 1 / target_rtf : 1; }
};

/// All phases, in the order of the published script.
inline constexpr std::array<Phase, 5> kPhases{{{"wall_baseline", false, 0},
                                               {"wall_injected", true, 0},
                                               {"sim_rtf1", false, 1.0},
                                               {"sim_rtf1_injected", true, 1.0},
                                               {"sim_rtf05", false, 0.5}}};

/// nullptr when there is none of that name.
const Phase* find_phase(std::string_view name) noexcept;

/// Whether callback `n` (from 1) of the phase sleeps.
constexpr bool is_injected(const Phase& phase, std::size_t n) noexcept {
  return phase.inject && n % kInjectEvery == kInjectEvery / 2;
}

/// What an ideal machine would do: every callback starts on its slot or as soon as the one before has ended,
/// and takes no time but the injected sleep; /clock keeps its factor and tells every moment. The slot at
/// exactly `length` (of wall time) is included. Pure: what the predictions are computed from.
std::vector<Row> ideal_rows(const Phase& phase, Duration length);

}  // namespace takt::lab::deadlines
