// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/steal_log.hpp"

#include <algorithm>

#include "takt/timing/evidence.hpp"

namespace takt::timing {

void StealLog::refresh(std::int64_t now_ns) noexcept {
  if (count_ > 0 && now_ns - readings_[(count_ - 1) % kReadings].at_ns < kRest) return;
  counters_.refresh();
  auto& reading = readings_[count_++ % kReadings];
  reading.at_ns = now_ns;
  reading.throttled = counters_.throttled();
  reading.cpus = 0;
  while (reading.cpus < kCpus) {
    const auto stolen = counters_.stolen(static_cast<int>(reading.cpus));
    if (!stolen) break;
    reading.stolen[reading.cpus++] = *stolen;
  }
}

const StealLog::Reading* StealLog::before(std::int64_t since_ns) const noexcept {
  const Reading* found = nullptr;
  for (auto i = count_; i > 0 && count_ - i < kReadings; --i) {
    found = &readings_[(i - 1) % kReadings];
    if (found->at_ns <= since_ns) break;
  }
  return found;
}

std::int64_t StealLog::stolen(std::int64_t since_ns, int cpu, std::int64_t reading_ns) const noexcept {
  const auto* reading = before(since_ns);
  if (reading == nullptr || reading_ns == Evidence::kUnknown || cpu < 0) return 0;
  const auto index = static_cast<std::size_t>(cpu);
  return index < reading->cpus ? std::max<std::int64_t>(0, reading_ns - reading->stolen[index]) : 0;
}

std::int64_t StealLog::throttled(std::int64_t since_ns, std::int64_t reading_ns) const noexcept {
  const auto* reading = before(since_ns);
  if (reading == nullptr || reading_ns == Evidence::kUnknown || !reading->throttled) return 0;
  return std::max<std::int64_t>(0, reading_ns - *reading->throttled);
}

}  // namespace takt::timing
