// SPDX-License-Identifier: Apache-2.0
#include "takt/core/clock.hpp"

namespace takt {

const char* to_string(ClockKind kind) noexcept {
  switch (kind) {
    case ClockKind::steady:
      return "steady";
    case ClockKind::system:
      return "system";
    case ClockKind::simulated:
      return "simulated";
  }
  return "unknown";
}

}  // namespace takt
