// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/work.hpp"

#include <ctime>

#include "takt/core/steady_clock.hpp"

namespace takt::lab::priority {
namespace {

Duration thread_cpu_time() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

Duration wall_time() noexcept { return SteadyClock::instance()->steady_now().time_since_epoch(); }

}  // namespace

void Work::burn(Duration amount) const noexcept {
  const auto now = kind_ == WorkKind::wall ? wall_time : thread_cpu_time;
  const auto end = now() + amount;
  while (now() < end) {
  }
}

}  // namespace takt::lab::priority
