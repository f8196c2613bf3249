// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/thread_counters.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <ctime>

namespace takt::timing {

namespace {

/// schedstat: time on the CPU, time on the run queue, time slices. The second is wanted.
std::int64_t run_queue_delay(int fd) noexcept {
  char text[96];
  const auto size = fd < 0 ? -1 : pread(fd, text, sizeof text, 0);
  if (size <= 0) return -1;
  const char* end = text + size;
  const char* at = text;
  while (at != end && *at != ' ') ++at;
  std::int64_t delay = -1;
  if (at != end) std::from_chars(at + 1, end, delay);
  return delay;
}

std::int64_t thread_cpu_time() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

ThreadCounters::ThreadCounters() : schedstat_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ThreadCounters::~ThreadCounters() {
  if (schedstat_ >= 0) close(schedstat_);
}

ThreadSample ThreadCounters::read() const noexcept {
  ThreadSample sample;
  sample.cpu_ns = thread_cpu_time();
  sample.delay_ns = run_queue_delay(schedstat_);
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) == 0) {
    sample.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
    sample.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
    sample.voluntary = static_cast<std::uint64_t>(usage.ru_nvcsw);
    sample.involuntary = static_cast<std::uint64_t>(usage.ru_nivcsw);
  }
  return sample;
}

}  // namespace takt::timing
