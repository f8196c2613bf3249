// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/throttle_log.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "takt/core/steady_clock.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;

constexpr Duration kInterval = 10ms;

}  // namespace

std::vector<ThrottledStretch> throttled_stretches(const std::vector<QuotaSample>& samples) {
  std::vector<ThrottledStretch> stretches;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const auto& before = samples[i - 1].usage;
    const auto& after = samples[i].usage;
    const double added_us = after.throttled_usec - before.throttled_usec;
    if (added_us <= 0) continue;
    const auto length = std::min<Duration>(std::chrono::microseconds{static_cast<std::int64_t>(added_us)},
                                           std::chrono::microseconds{kQuotaPeriodUs});
    const SteadyTime end = samples[i].at;
    SteadyTime begin = end - length;
    if (!stretches.empty() && begin < stretches.back().end) begin = std::min(stretches.back().end, end);
    stretches.push_back({begin, end, added_us / 1000});
  }
  return stretches;
}

Duration throttled_within(const std::vector<ThrottledStretch>& stretches, SteadyTime begin, SteadyTime end) {
  Duration sum{};
  for (const auto& one : stretches) {
    sum += std::max(Duration::zero(), std::min(one.end, end) - std::max(one.begin, begin));
  }
  return sum;
}

ThrottleLog::ThrottleLog(const QuotaGroup* group) {
  const auto files = find_cgroup();
  if (!files || !read_cgroup(*files).quota) return;
  thread_ = std::jthread([this, group, files = *files](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "quota-log");
    if (group != nullptr) group->leave();
    try {
      sample(stop, files);
    } catch (const std::exception&) {  // out of descriptors: what was read until then is kept
    }
  });
}

void ThrottleLog::sample(const std::stop_token& stop, const CgroupFiles& files) {
  SteadyClock& clock = *SteadyClock::instance();
  SteadyTime next = clock.steady_now();
  while (!stop.stop_requested()) {
    samples_.push_back({clock.steady_now(), read_cgroup(files)});
    next = std::max(next + kInterval, clock.steady_now());
    clock.sleep_until(next);
  }
  samples_.push_back({clock.steady_now(), read_cgroup(files)});
}

std::vector<QuotaSample> ThrottleLog::finish() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  return std::move(samples_);
}

}  // namespace takt::lab::deadlines
