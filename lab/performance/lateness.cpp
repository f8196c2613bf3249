// SPDX-License-Identifier: Apache-2.0
#include "lab/performance/lateness.hpp"

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "lab/common/errors.hpp"
#include "lab/common/threads.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/takt.hpp"

namespace takt::lab::performance {

namespace {

using namespace std::chrono_literals;

std::vector<double> lateness_of(const std::vector<Duration>& periods, std::size_t count) {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  auto context = Context::make(std::move(options));
  auto node = std::make_shared<Node>("timers", NodeOptions{.context = context});
  Executor executor(
      {.scheduling = Fifo{kPriority}, .lock_memory = true, .name = "timers", .context = context});
  std::vector<double> samples;
  samples.reserve(count * periods.size());
  std::vector<Timer::SharedPtr> timers;
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < periods.size(); ++i) {
    timers.push_back(node->create_timer(periods[i], [&, i](const TimerInfo& info) {
      samples.push_back(to_us(info.actual - info.expected));
      if (i == 0 && ++fastest >= count) executor.cancel();
    }));
  }
  executor.add_node(node);
  run_in_thread("the executor's", [&] { executor.spin(); });
  return samples;
}

}  // namespace

std::vector<double> timer_lateness(std::size_t samples) { return lateness_of({1ms}, samples); }

std::vector<double> ten_timers_lateness(std::size_t samples) {
  return lateness_of({1ms, 2ms, 3ms, 4ms, 5ms, 6ms, 7ms, 8ms, 9ms, 10ms}, samples);
}

std::vector<double> nanosleep_lateness(std::size_t count) {
  std::vector<double> samples;
  samples.reserve(count);
  run_in_thread("the one of clock_nanosleep", [&] {
    apply_to_this_thread({.name = "nanosleep", .scheduling = Fifo{kPriority}});
    auto& clock = *SteadyClock::instance();
    auto next = clock.steady_now();
    while (samples.size() < count) {
      next += 1ms;
      clock.sleep_until(next);
      const auto now = clock.steady_now();
      samples.push_back(to_us(now - next));
      if (now - next > 1ms)
        next += (now - next) / 1ms * 1ms;  // the same rule as takt's: missed slots are dropped
    }
  });
  return samples;
}

std::vector<double> cyclictest_lateness(std::size_t count) {
  const std::string command = "cyclictest -q -m -t 1 -p " + std::to_string(kPriority) + " -i 1000 -l " +
                              std::to_string(count) + " -h 100000 2>/dev/null";
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (!pipe) throw CannotMeasure("cyclictest cannot be started", "run tools/setup.sh: it installs rt-tests");
  std::vector<double> samples;
  char line[256];
  while (std::fgets(line, sizeof line, pipe.get()) !=
         nullptr) {  // "<microseconds> <how many>", comments begin with #
    std::istringstream fields(line);
    std::size_t us = 0, n = 0;
    if (line[0] != '#' && fields >> us >> n) samples.insert(samples.end(), n, static_cast<double>(us));
  }
  if (samples.empty())
    throw CannotMeasure("cyclictest printed no histogram", "run tools/setup.sh: it installs rt-tests");
  return samples;
}

}  // namespace takt::lab::performance
