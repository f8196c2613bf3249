// SPDX-License-Identifier: Apache-2.0
// Timing alone, without nodes or an executor: a bare thread at 1 kHz on clock_nanosleep is recorded and
// judged with two lines per activation. Runs one second and prints the verdict.
#include <ctime>

#include <cstdio>
#include <thread>

#include "takt/timing/monitor.hpp"

using namespace std::chrono_literals;

namespace {

void sleep_until(takt::SteadyTime t) {
  const auto ns = t.time_since_epoch().count();
  const timespec at{ns / 1'000'000'000, ns % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

void work() {
  for (volatile int i = 0; i < 20'000;) i = i + 1;
}

}  // namespace

int main() {
  takt::timing::Monitor monitor;
  takt::timing::SectionOptions options;
  options.name = "bare loop";
  options.period = 1ms;  // the deadline, where none is given
  options.warmup = 10;
  auto& section = monitor.add(options);

  std::thread([&] {
    takt::timing::Recorder recorder(monitor);
    auto slot = monitor.clock().steady_now() + options.period;
    for (int i = 0; i < 1000; ++i, slot += options.period) {
      recorder.before_wait();
      sleep_until(slot);
      recorder.after_wait(monitor.clock().steady_now());
      auto activation = recorder.begin(section, {.release = takt::ClockTime{slot.time_since_epoch()}});
      work();
      recorder.end(activation);
    }
  }).join();

  std::fputs(takt::timing::to_text(monitor.verdicts()).c_str(), stdout);
}
