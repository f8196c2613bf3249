// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/common/ratio.hpp"

namespace takt::lab::comm {
namespace {

/// Why the two cannot be compared; empty: they can.
std::string obstacle(const Compared& takt, const Compared& other) {
  if (!takt.measured || !other.measured) return "one of the two was not measured in every round";
  if (takt.saturated || other.saturated) return "one of the two does not reach the rate";
  const auto usable = [](double mean) { return mean > 0; };
  if (!std::ranges::all_of(takt.round_means_us, usable) || !std::ranges::all_of(other.round_means_us, usable))
    return "a round without messages";
  if (takt.round_means_us.size() != other.round_means_us.size()) return "the rounds are not as many";
  if (const auto least = RatioRules{}.least_rounds; takt.round_means_us.size() < least)
    return fmt::format("{} rounds are too few, {} are needed", takt.round_means_us.size(), least);
  return "";
}

std::string noise_of(const std::vector<double>& baseline, const std::vector<double>& again) {
  const auto usable = [](double mean) { return mean > 0; };
  if (baseline.empty() || baseline.size() != again.size() || !std::ranges::all_of(baseline, usable) ||
      !std::ranges::all_of(again, usable))
    return "the floor was not run against itself";
  const auto ratio = ratio_of(again, baseline);
  const double noise = std::max(ratio.high, 1 / ratio.low);
  if (noise <= kLevelMargin) return "";
  return fmt::format("the floor against itself differs by up to {:.2f} times, more than {:.2f}", noise,
                     kLevelMargin);
}

Standing standing_of_interval(const RatioEstimate& ratio) {
  if (ratio.high < 1) return Standing::ahead;
  if (ratio.low > 1) return Standing::behind;
  if (ratio.low >= 1 / kLevelMargin && ratio.high <= kLevelMargin) return Standing::level;
  return Standing::not_judged;
}

}  // namespace

const char* to_string(Standing standing) noexcept {
  switch (standing) {
    case Standing::ahead:
      return "ahead";
    case Standing::level:
      return "level";
    case Standing::behind:
      return "behind";
    case Standing::not_judged:
      break;
  }
  return "not judged";
}

StandingResult standing_of(const Compared& takt, const Compared& other, const std::vector<double>& baseline,
                           const std::vector<double>& again) {
  StandingResult result;
  result.reason = obstacle(takt, other);
  if (!result.reason.empty()) return result;
  const auto ratio = ratio_of(takt.round_means_us, other.round_means_us);
  result.ratio = ratio.median;
  result.low = ratio.low;
  result.high = ratio.high;
  result.reason = noise_of(baseline, again);
  if (!result.reason.empty()) return result;
  if (!takt.lossless && other.lossless) {
    result.standing = Standing::behind;
    result.reason = "takt lost messages, the other did not";
    return result;
  }
  result.standing = standing_of_interval(ratio);
  result.reason = fmt::format("{}{:.2f} [{:.2f}, {:.2f}] times the other's mean in {} rounds",
                              result.standing == Standing::not_judged ? "undecided: " : "", ratio.median,
                              ratio.low, ratio.high, ratio.rounds);
  return result;
}

nlohmann::ordered_json to_json(const StandingResult& result) {
  const auto or_null = [](double value) { return value > 0 ? nlohmann::ordered_json(value) : nullptr; };
  return {{"standing", to_string(result.standing)},
          {"reason", result.reason},
          {"ratio", or_null(result.ratio)},
          {"low", or_null(result.low)},
          {"high", or_null(result.high)}};
}

}  // namespace takt::lab::comm
