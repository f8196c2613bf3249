// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/timer_executable.hpp"

#include <algorithm>

#include "takt/timing/monitor.hpp"

namespace takt {

TimerExecutable::TimerExecutable(timing::Monitor& monitor, timing::Section& section, Duration period,
                                 const TimerOptions& options, std::shared_ptr<Clock> clock,
                                 Timer::Callback callback)
    : Executable(monitor, section),
      clock_(std::move(clock)),
      ros_(dynamic_cast<const RosClock*>(clock_.get())),
      monotonic_((ros_ == nullptr ? clock_.get() : &ros_->base()) == &monitor.clock()),
      overrun_(options.overrun),
      autostart_(options.autostart),
      callback_(std::move(callback)),
      period_ns_(period.count()) {
  if (ros_ != nullptr) return;  // it begins when it joins the listeners
  const auto reading = clock_->read();
  epoch_.store(reading.epoch);
  if (autostart_) start_grid(reading, period);
}

TimerExecutable::~TimerExecutable() = default;

SteadyTime TimerExecutable::due() const noexcept {
  const auto next = next_ns_.load();
  if (next >= kWaiting || (ros_ != nullptr && ros_->ros_time_is_active())) return kNever;
  if (monotonic_) return SteadyTime{Duration{next}};
  return monitor_.clock().steady_now() + (clock_time(next) - clock_->now());
}

bool TimerExecutable::pending(std::int64_t slot, ClockTime now) const noexcept {
  return slot < kWaiting && slot <= as_ns(now);
}

// An executor asks it at a time of its own choosing; what passes by itself has its due time.
bool TimerExecutable::has_work() const noexcept {
  if (ros_ == nullptr) return false;
  const auto time = ros_->time().state();
  const auto slot = next_ns_.load();
  // Of another epoch: who moves the slot makes it ready. A worker that asked on would keep him from it.
  return time.active && time.started && epoch_.load() == source_epoch(time) && pending(slot, time.now);
}

TimerExecutable::Look TimerExecutable::look(SteadyTime now) const noexcept {
  const auto time = ros_ == nullptr ? TimeState{} : ros_->time().state();
  if (monotonic_ && !time.active)
    return {{ClockTime{now.time_since_epoch()}, source_epoch(time), true}, time};
  return {ros_ == nullptr ? clock_->read() : ros_->read(time), time};
}

std::optional<timing::Outcome> TimerExecutable::run(RunContext& context) {
  const auto seen = look(context.now);
  auto slot = next_ns_.load();  // before the epoch
  if (other_epoch(seen.reading)) return std::nullopt;
  if (!pending(slot, seen.reading.now)) {
    announced_ns_.store(kCancelled);  // whoever made it ready took it for another time's
    due_changed();
    return std::nullopt;
  }
  const auto step = grid::take(clock_time(slot), period(), overrun_, seen.reading.now);
  if (!next_ns_.compare_exchange_strong(slot, as_ns(step.next))) {  // cancelled, reset or moved meanwhile
    due_changed();
    return std::nullopt;
  }
  last_start_ns_.store(as_ns(seen.reading.now), std::memory_order_relaxed);
  due_changed();

  auto activation = context.recorder.begin(section(), trigger(step, seen, context.now));
  try {
    callback_(TimerInfo{step.release, seen.reading.now, step.skipped});
  } catch (...) {
    activation.flags |= timing::kThrew;
    context.recorder.end(activation);
    throw;
  }
  return context.recorder.end(activation);
}

timing::Trigger TimerExecutable::trigger(const GridStep& step, const Look& seen, SteadyTime now) noexcept {
  timing::Trigger trigger;
  trigger.release = step.release;
  trigger.start = now;
  if (!monotonic_ || seen.time.active) trigger.start_on_clock = seen.reading.now;
  trigger.skipped = static_cast<std::uint32_t>(std::min<std::int64_t>(step.skipped, UINT32_MAX));
  const auto& time = seen.time;
  if (!time.active) return trigger;
  // A worker may see the sample before it is announced.
  const bool announced = announced_ns_.load() == as_ns(step.release);
  trigger.arrival = announced ? SteadyTime{Duration{arrival_ns_.load()}} : time.arrival;
  // The first one after a stop, and what a jump forward passed over: nobody could have been in time.
  if (stops_.exchange(time.stops, std::memory_order_relaxed) != time.stops) {
    trigger.flags = timing::kExcluded | timing::kClockPaused;
  } else if (time.jumped_from < step.release && step.release <= time.jumped_to) {
    trigger.flags = timing::kExcluded | timing::kClockJumped;
  }
  if (trigger.flags != 0 && trigger.skipped != 0) {
    section().count_excluded(static_cast<timing::RecordFlags>(trigger.flags), trigger.skipped);
    trigger.skipped = 0;
  }
  return trigger;
}

/// A pending event of another epoch is dropped. What moves the slot is the listener under ROS time, else the
/// first who sees that the clock has jumped.
bool TimerExecutable::other_epoch(const ClockReading& reading) noexcept {
  const auto epoch = epoch_.load();
  if (epoch == reading.epoch) return false;
  if (ros_ == nullptr || same_source(epoch, reading.epoch)) follow_jump(reading);
  return true;
}

void TimerExecutable::follow_jump(const ClockReading& reading) noexcept {
  const auto last_start = clock_time(last_start_ns_.load(std::memory_order_relaxed));
  const auto slot = move_to_epoch(reading.epoch, [&](std::int64_t old) {
    if (old >= kWaiting) return old;
    return as_ns(grid::after_jump(clock_time(old), period(), last_start, clock_time(old), reading.now));
  });
  if (!slot || *slot >= kWaiting) return;
  section().count_excluded(timing::kClockJumped);
  due_changed();
}

void TimerExecutable::spin_begins(SteadyTime now) noexcept {
  const auto reading = look(now).reading;
  const auto on_clock = reading.now;
  auto slot = next_ns_.load();
  if (epoch_.load() != reading.epoch) return;
  if (slot >= kWaiting || as_ns(on_clock) <= slot || always_ready()) return;
  // Slots before the first spin could not run: the grid keeps its phase, and they are excluded instead of
  // missed.
  const auto passed = (as_ns(on_clock) - slot + period().count() - 1) / period().count();
  if (next_ns_.compare_exchange_strong(slot, slot + passed * period().count())) {
    section().count_excluded(timing::kClockNotStarted, static_cast<std::uint64_t>(passed));
  }
}

void TimerExecutable::cancel() noexcept {
  next_ns_.store(kCancelled);
  due_changed();
}

/// The first slot is `first` from now, or from the start of time. Now is the grid's origin: a jump back to
/// before it begins the grid anew, however long ago the last call was.
void TimerExecutable::start_grid(const ClockReading& reading, Duration first) noexcept {
  last_start_ns_.store(as_ns(reading.now));
  if (reading.started) return next_ns_.store(as_ns(reading.now + first));
  first_ns_.store(first.count());
  next_ns_.store(kWaiting);
}

void TimerExecutable::reset() noexcept {
  for (auto reading = clock_->read();;) {  // until it lies on the epoch that is valid
    next_ns_.store(kWaiting);              // the old one never meets the new epoch
    epoch_.store(reading.epoch);
    start_grid(reading, period());
    const auto again = clock_->read();
    if (again.epoch == reading.epoch) break;
    reading = again;
  }
  if (ros_ != nullptr) sample_came(ros_->time().state());  // which may have come just now
  due_changed();
}

void TimerExecutable::set_period(Duration period) noexcept {
  period_ns_.store(period.count(), std::memory_order_relaxed);
  due_changed();
}

Duration TimerExecutable::time_until_trigger() const noexcept {
  const auto next = next_ns_.load();
  return next >= kWaiting ? Duration::max() : clock_time(next) - clock_->now();
}

}  // namespace takt
