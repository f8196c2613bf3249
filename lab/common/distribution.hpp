// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace takt::lab {

/// Of raw samples, hence exact. The unit is that of the samples; the JSON key that holds it names it
/// ("latency_ms").
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
  std::uint64_t max_index = 0;  ///< position of the first maximum, from 1
  double max_at_s = 0;          ///< its time since the run began
};

/// Nearest rank: the value at index round(q * (n - 1)) of the sorted samples, as takt's histogram. q in [0,
/// 1]; 0 without samples. The samples must be sorted.
double percentile(std::span<const double> sorted, double q) noexcept;

/// `at_s[k]` is the time of `values[k]`; an empty one means times are not known. Allocates a sorted copy.
Distribution distribution_of(std::span<const double> values, std::span<const double> at_s = {});

/// {count, mean, p50, p90, p99, p999, max, max_index, max_at_s}
nlohmann::ordered_json to_json(const Distribution& distribution);

}  // namespace takt::lab
