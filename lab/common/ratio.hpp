// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace takt::lab {

/// Figures of one machine differ from minute to minute, so two things are compared round by round,
/// interleaved, and their ratio is what counts: the median of the rounds' ratios, with a bootstrap interval.
/// The baseline is also run against itself; what that ratio does not hold, no other can.
struct RatioRules {
  std::size_t least_rounds = 9;
  double confidence = 0.95;
  std::size_t resamples = 4000;
  std::uint64_t seed = 1;  ///< the same figures always give the same interval
};

struct RatioEstimate {
  double median = 0;
  double low = 0;  ///< bounds of the median at the confidence asked for
  double high = 0;
  std::size_t rounds = 0;
};

/// The median of numerator[k] / denominator[k]. Both have the same length >= 1 and hold positive numbers:
/// else a SetupError.
RatioEstimate ratio_of(std::span<const double> numerator, std::span<const double> denominator,
                       const RatioRules& rules = {});

enum class RatioVerdict : std::uint8_t { met, not_met, not_judged };
const char* to_string(RatioVerdict verdict) noexcept;  ///< "MET", "NOT MET", "NOT JUDGED"

struct RatioResult {
  RatioVerdict verdict = RatioVerdict::not_judged;
  std::string reason;  ///< in words
  double margin = 0;
  RatioEstimate ratio;     ///< subject / baseline
  RatioEstimate baseline;  ///< baseline / baseline
};

/// One figure a round of each. met: the whole interval of subject / baseline is at most `margin`; not_met:
/// all of it is above; not_judged: it holds the margin, there are too few rounds, or the baseline against
/// itself leaves [1 / margin, margin].
RatioResult judge_ratio(std::span<const double> subject, std::span<const double> baseline,
                        std::span<const double> baseline_again, double margin, const RatioRules& rules = {});

nlohmann::ordered_json to_json(const RatioResult& result);

}  // namespace takt::lab
