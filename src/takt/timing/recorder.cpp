// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/recorder.hpp"

#include <utility>

#include "takt/timing/monitor_state.hpp"
#include "takt/timing/worker_log.hpp"

namespace takt::timing {

Recorder::Recorder(Monitor& monitor, ThreadOptions asked, ThreadState granted, std::string pool)
    : log_(monitor.state_->make_log(std::move(asked), std::move(granted), std::move(pool))) {}

Recorder::Recorder(Monitor& monitor) : Recorder(monitor, {}, this_thread_state()) {}

Recorder::~Recorder() { log_->end_of_thread(); }

Activation Recorder::begin(Section& section, const Trigger& trigger) noexcept {
  return log_->enter(section, trigger);
}

Activation Recorder::begin(Section& section) noexcept { return log_->enter_now(section); }

Outcome Recorder::end(Activation& activation) noexcept { return log_->leave(activation); }

SteadyTime Recorder::last_finish() const noexcept { return log_->last_finish(); }
void Recorder::before_wait() noexcept { log_->before_wait(); }
void Recorder::after_wait(SteadyTime now) noexcept { log_->after_wait(now); }

}  // namespace takt::timing
