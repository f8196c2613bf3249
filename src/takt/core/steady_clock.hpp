// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "takt/core/clock.hpp"

namespace takt {

/// CLOCK_MONOTONIC. Stateless; any thread.
class SteadyClock final : public MonotonicClock {
 public:
  SteadyTime steady_now() const noexcept override;
  WaitResult wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                  SteadyTime deadline) noexcept override;
  void sleep_until(SteadyTime deadline) noexcept override;

  /// The process's one instance.
  static const std::shared_ptr<SteadyClock>& instance();
};

}  // namespace takt
