// SPDX-License-Identifier: Apache-2.0
#include "lab/common/progress_bar.hpp"

#include <chrono>

#include "takt/core/steady_clock.hpp"

namespace takt::lab {

ProgressBar::ProgressBar(Console& console, std::string_view label, Duration total) : console_(console) {
  if (!console.interactive()) return;
  thread_ = std::jthread(
      [this, label = std::string(label), total](const std::stop_token& stop) { draw(stop, label, total); });
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  console_.progress_done();
}

void ProgressBar::draw(const std::stop_token& stop, std::string_view label, Duration total) {
  SteadyClock& clock = *SteadyClock::instance();
  const SteadyTime begin = clock.steady_now();
  while (!stop.stop_requested()) {
    console_.progress(label, clock.steady_now() - begin, total);
    clock.sleep_for(std::chrono::milliseconds{200});
  }
}

}  // namespace takt::lab
