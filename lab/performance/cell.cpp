// SPDX-License-Identifier: Apache-2.0
#include "lab/performance/cell.hpp"

#include <utility>

namespace takt::lab::performance {

void Rounds::add(std::vector<double> samples) {
  const auto figures = distribution_of(samples);
  p50.push_back(figures.p50);
  p99.push_back(figures.p99);
  mean.push_back(figures.mean);
  all.insert(all.end(), samples.begin(), samples.end());
}

Measured measure(const Comparison& comparison, std::size_t rounds) {
  Measured out;
  for (std::size_t i = 0; i < rounds; ++i) {
    out.takt.add(comparison.takt());
    out.floor.add(comparison.floor());
    out.again.add(comparison.floor());
  }
  return out;
}

}  // namespace takt::lab::performance
