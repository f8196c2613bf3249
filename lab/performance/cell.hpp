// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/common/distribution.hpp"
#include "takt/core/time.hpp"

namespace takt::lab::performance {

/// What one side does for one round: its samples in microseconds.
using Measure = std::function<std::vector<double>()>;

/// takt against a floor without it, in one interleaved run: every round measures takt, the floor and the
/// floor again, so that whatever the machine does meanwhile hits all three.
struct Comparison {
  std::string name;        ///< what is measured
  std::string condition;   ///< "idle", "under load, cores kept awake" ...
  std::string floor_name;  ///< "clock_nanosleep", "bare futex" ...
  Measure takt;
  Measure floor;
  double margin_p50 = 0;  ///< at most this times the floor; 0: not judged as a ratio
  double margin_p99 = 0;
  double margin_mean = 0;
  double more_mean_us = 0;  ///< at most this much more than the floor, in the mean; 0: not judged so
};

/// The figures of each round.
struct Rounds {
  std::vector<double> p50, p99, mean;
  std::vector<double> all;  ///< every sample

  void add(std::vector<double> samples);
};

struct Measured {
  Rounds takt, floor, again;
};

/// `rounds` times takt, floor, floor.
Measured measure(const Comparison& comparison, std::size_t rounds);

}  // namespace takt::lab::performance
