// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "takt/core/time.hpp"
#include "takt/timing/record.hpp"

namespace takt {

/// What is known of a received message. Times are on the monotonic clock.
struct MessageInfo {
  SteadyTime published{};  ///< when publish() was called: the release of the callback that takes it
  SteadyTime received{};   ///< when it was queued at this subscription
  std::uint64_t sequence =
      0;  ///< of the publisher, from 1, without gaps: a gap is a message this subscription lost
  std::uint64_t publisher = 0;  ///< unique within the context
  timing::Origin origin;        ///< where the chain began; unknown when the publisher named none
};

}  // namespace takt
