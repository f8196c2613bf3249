// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace takt::lab::deadlines {

/// As lines and documents give a value; a half goes to the even neighbour.
inline double rounded(double value, int decimals = 3) {
  const double scale = std::pow(10.0, decimals);
  return std::nearbyint(value * scale) / scale;
}

}  // namespace takt::lab::deadlines
