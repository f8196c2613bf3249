// SPDX-License-Identifier: Apache-2.0
#include "lab/common/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "takt/core/error.hpp"

namespace takt::lab {

double percentile(std::span<const double> sorted, double q) noexcept {
  if (sorted.empty()) return 0;
  const double rank = std::round(std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1));
  return sorted[static_cast<std::size_t>(rank)];
}

Distribution distribution_of(std::span<const double> values, std::span<const double> at_s) {
  TAKT_CHECK(at_s.empty() || at_s.size() == values.size());
  Distribution result;
  if (values.empty()) return result;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  result.count = sorted.size();
  result.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  result.p50 = percentile(sorted, 0.5);
  result.p90 = percentile(sorted, 0.9);
  result.p99 = percentile(sorted, 0.99);
  result.p999 = percentile(sorted, 0.999);
  result.max = sorted.back();
  const auto where = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  result.max_index = where + 1;
  if (!at_s.empty()) result.max_at_s = at_s[where];
  return result;
}

nlohmann::ordered_json to_json(const Distribution& d) {
  return {{"count", d.count},      {"mean", d.mean}, {"p50", d.p50}, {"p90", d.p90},
          {"p99", d.p99},          {"p999", d.p999}, {"max", d.max}, {"max_index", d.max_index},
          {"max_at_s", d.max_at_s}};
}

}  // namespace takt::lab
