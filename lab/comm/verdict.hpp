// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  std::uint64_t lost = 0;
  bool floor = false;  ///< keeps nothing that it could lose
};

/// The baseline's rounds, and those of its second time beside them; without them no means are judged.
struct Baseline {
  std::vector<double> round_means_us, again_us;
  bool saturated = false;  ///< the machine itself does not hold the rate: losses are not judged
};

struct StandingResult {
  Standing standing = Standing::not_judged;
  std::string reason;
  double ratio = 0, low = 0, high = 0;  ///< takt / the other; 0 where there is none
};

/// takt is behind where it alone misses the rate or lost messages, whatever the means and their noise; a
/// stack that alone lost messages still stands by its mean, and the reason says what it lost.
StandingResult standing_of(const Compared& takt, const Compared& other, const Baseline& baseline);

nlohmann::ordered_json to_json(const StandingResult& result);

}  // namespace takt::lab::comm
