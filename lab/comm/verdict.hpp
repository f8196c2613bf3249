// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace takt::lab::comm {

/// takt beside one other stack at one point.
enum class Standing : std::uint8_t { ahead, level, behind, not_judged };
const char* to_string(Standing standing) noexcept;  ///< "ahead", "level", "behind", "not judged"

/// A ratio within it, or a baseline that differs so much from itself, is no difference.
inline constexpr double kLevelMargin = 1.25;

/// What is compared: the mean of each round, and whether the cell's figures can be compared at all.
struct Compared {
  std::vector<double> round_means_us;
  bool measured = true;  ///< it ran, all its rounds
  bool saturated = false;
  bool lossless = true;  ///< false for a floor, which keeps nothing that it could lose
};

struct StandingResult {
  Standing standing = Standing::not_judged;
  std::string reason;
  double ratio = 0, low = 0, high = 0;  ///< takt / the other; 0 where there is none
};

/// `again`: the baseline's rounds run a second time beside `baseline`'s; without them nothing is judged.
StandingResult standing_of(const Compared& takt, const Compared& other, const std::vector<double>& baseline,
                           const std::vector<double>& again);

nlohmann::ordered_json to_json(const StandingResult& result);

}  // namespace takt::lab::comm
