// SPDX-License-Identifier: Apache-2.0
#include "takt/core/steady_clock.hpp"

#include <cerrno>

#include "takt/core/futex.hpp"
#include "takt/core/machine_clock.hpp"

namespace takt {

SteadyTime SteadyClock::steady_now() const noexcept { return SteadyTime{machine::read(CLOCK_MONOTONIC)}; }

WaitResult SteadyClock::wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                             SteadyTime deadline) noexcept {
  return futex::wait(word, expected, deadline);
}

void SteadyClock::sleep_until(SteadyTime deadline) noexcept {
  const auto absolute = machine::to_timespec(deadline.time_since_epoch());
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &absolute, nullptr) == EINTR) {
  }
}

const std::shared_ptr<SteadyClock>& SteadyClock::instance() {
  // Never destroyed: the house and static objects use it until the process is gone.
  static const auto& clock = *new auto(std::make_shared<SteadyClock>());
  return clock;
}

}  // namespace takt
