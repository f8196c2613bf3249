// SPDX-License-Identifier: Apache-2.0
#include "lab/common/ratio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "lab/common/distribution.hpp"
#include "takt/core/error.hpp"

namespace takt::lab {
namespace {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void check_figures(std::span<const double> numerator, std::span<const double> denominator,
                   const RatioRules& rules) {
  const auto usable = [](double figure) { return std::isfinite(figure) && figure > 0; };
  if (numerator.empty() || numerator.size() != denominator.size() || rules.resamples == 0 ||
      !std::ranges::all_of(numerator, usable) || !std::ranges::all_of(denominator, usable)) {
    throw SetupError(
        fmt::format("{} and {} figures cannot be compared", numerator.size(), denominator.size()),
        "give one positive number a round of each");
  }
}

nlohmann::ordered_json estimate_json(const RatioEstimate& estimate) {
  return {{"median", estimate.median},
          {"low", estimate.low},
          {"high", estimate.high},
          {"rounds", estimate.rounds}};
}

}  // namespace

const char* to_string(RatioVerdict verdict) noexcept {
  switch (verdict) {
    case RatioVerdict::met:
      return "MET";
    case RatioVerdict::not_met:
      return "NOT MET";
    case RatioVerdict::not_judged:
      break;
  }
  return "NOT JUDGED";
}

RatioEstimate ratio_of(std::span<const double> numerator, std::span<const double> denominator,
                       const RatioRules& rules) {
  check_figures(numerator, denominator, rules);
  std::vector<double> ratios;
  for (std::size_t k = 0; k < numerator.size(); ++k) ratios.push_back(numerator[k] / denominator[k]);

  std::mt19937_64 random(rules.seed);
  std::uniform_int_distribution<std::size_t> any(0, ratios.size() - 1);
  std::vector<double> medians;
  std::vector<double> drawn(ratios.size());
  for (std::size_t round = 0; round < rules.resamples; ++round) {
    for (auto& ratio : drawn) ratio = ratios[any(random)];
    medians.push_back(median(drawn));
  }
  std::ranges::sort(medians);
  const double tail = (1 - rules.confidence) / 2;
  const auto rounds = ratios.size();
  return {median(ratios), percentile(medians, tail), percentile(medians, 1 - tail), rounds};
}

RatioResult judge_ratio(std::span<const double> subject, std::span<const double> baseline,
                        std::span<const double> baseline_again, double margin, const RatioRules& rules) {
  RatioResult result;
  result.margin = margin;
  result.ratio = ratio_of(subject, baseline, rules);
  result.baseline = ratio_of(baseline_again, baseline, rules);
  const auto& [middle, low, high, rounds] = result.ratio;
  const double noise = std::max(result.baseline.high, 1 / result.baseline.low);
  const auto interval = fmt::format("{:.3f} [{:.3f}, {:.3f}] times the baseline in {} rounds, allowed {:.3f}",
                                    middle, low, high, rounds, margin);
  if (rounds < rules.least_rounds) {
    result.reason = fmt::format("{} rounds are too few, {} are needed", rounds, rules.least_rounds);
  } else if (noise > margin) {
    result.reason = fmt::format(
        "the baseline against itself differs by up to {:.3f} times, more than the {:.3f} to be judged", noise,
        margin);
  } else if (high <= margin) {
    result.verdict = RatioVerdict::met;
    result.reason = interval;
  } else if (low > margin) {
    result.verdict = RatioVerdict::not_met;
    result.reason = interval;
  } else {
    result.reason = "undecided: " + interval;
  }
  return result;
}

nlohmann::ordered_json to_json(const RatioResult& result) {
  return {{"verdict", to_string(result.verdict)},
          {"reason", result.reason},
          {"margin", result.margin},
          {"ratio", estimate_json(result.ratio)},
          {"baseline", estimate_json(result.baseline)}};
}

}  // namespace takt::lab
