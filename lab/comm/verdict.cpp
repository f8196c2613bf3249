// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "lab/common/ratio.hpp"

namespace takt::lab::comm {
namespace {

/// Why nothing of the two can be compared; empty: something can.
std::string obstacle(const Compared& takt, const Compared& other) {
  if (!takt.measured || !other.measured) return "one of the two was not measured in every round";
  if (takt.saturated && other.saturated) return "neither of the two reaches the rate";
  if (other.saturated) return "the other does not reach the rate, takt does";
  return "";
}

/// Why their means cannot be compared; empty: they can.
std::string obstacle_to_means(const Compared& takt, const Compared& other) {
  const auto usable = [](double mean) { return mean > 0; };
  if (!std::ranges::all_of(takt.round_means_us, usable) || !std::ranges::all_of(other.round_means_us, usable))
    return "a round without messages";
  if (takt.round_means_us.size() != other.round_means_us.size()) return "the rounds are not as many";
  if (const auto least = RatioRules{}.least_rounds; takt.round_means_us.size() < least)
    return fmt::format("{} rounds are too few, {} are needed", takt.round_means_us.size(), least);
  return "";
}

/// How many times the floor's second run differs from its first: the median of the rounds. 0: not known.
double noise_of(const Baseline& floor) {
  const auto& [baseline, again, saturated] = floor;
  const auto usable = [](double mean) { return mean > 0; };
  if (baseline.empty() || baseline.size() != again.size() || !std::ranges::all_of(baseline, usable) ||
      !std::ranges::all_of(again, usable))
    return 0;
  const auto ratio = ratio_of(again, baseline).median;
  return std::max(ratio, 1 / ratio);
}

/// A difference is one when it is larger than that of the floor from itself.
Standing standing_of_interval(const StandingResult& ratio, double noise) {
  if (ratio.high < 1 / noise) return Standing::ahead;
  if (ratio.low > noise) return Standing::behind;
  if (ratio.low >= 1 / kLevelMargin && ratio.high <= kLevelMargin) return Standing::level;
  return Standing::not_judged;
}

std::pair<Standing, std::string> standing_by_means(const StandingResult& ratio, const std::string& obstacle,
                                                   const Baseline& baseline) {
  if (!obstacle.empty()) return {Standing::not_judged, obstacle};
  const double noise = noise_of(baseline);
  if (noise == 0) return {Standing::not_judged, "the floor was not run against itself"};
  if (noise > kLevelMargin) {
    return {
        Standing::not_judged,
        fmt::format("the floor differs from itself by {:.2f} times, more than {:.2f}", noise, kLevelMargin)};
  }
  const auto standing = standing_of_interval(ratio, noise);
  return {standing, fmt::format("{}{:.2f} [{:.2f}, {:.2f}] times the other's mean in {} rounds",
                                standing == Standing::not_judged ? "undecided: " : "", ratio.ratio, ratio.low,
                                ratio.high, baseline.round_means_us.size())};
}

/// "; the other lost 12 messages, takt none". A floor's do not count.
std::string words_of_losses(const Compared& takt, const Compared& other) {
  if (other.floor) return takt.lost == 0 ? "" : fmt::format("; takt lost {} messages", takt.lost);
  if (takt.lost == 0 && other.lost == 0) return "";
  const auto words = [](std::uint64_t lost) { return lost == 0 ? "none" : std::to_string(lost); };
  return fmt::format("; messages lost: takt {}, the other {}", words(takt.lost), words(other.lost));
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

StandingResult standing_of(const Compared& takt, const Compared& other, const Baseline& baseline) {
  StandingResult result;
  result.reason = obstacle(takt, other);
  if (!result.reason.empty()) return result;
  if (takt.saturated) {
    result.standing = Standing::behind;
    result.reason = "takt does not reach the rate, the other does";
    return result;
  }
  const auto no_means = obstacle_to_means(takt, other);
  if (no_means.empty()) {
    const auto ratio = ratio_of(takt.round_means_us, other.round_means_us);
    result.ratio = ratio.median;
    result.low = ratio.low;
    result.high = ratio.high;
  }
  if (takt.lost > 0 && other.lost == 0 && !other.floor && !baseline.saturated) {
    result.standing = Standing::behind;
    result.reason = fmt::format("takt lost {} messages, the other none", takt.lost);
    return result;
  }
  std::tie(result.standing, result.reason) = standing_by_means(result, no_means, baseline);
  result.reason += words_of_losses(takt, other);
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
