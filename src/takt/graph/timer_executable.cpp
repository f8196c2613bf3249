// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/timer_executable.hpp"

#include <algorithm>

#include "takt/timing/monitor.hpp"

namespace takt {

namespace {
std::int64_t ns(ClockTime t) noexcept { return t.time_since_epoch().count(); }
ClockTime clock_time(std::int64_t ns) noexcept { return ClockTime{Duration{ns}}; }
}  // namespace

TimerExecutable::TimerExecutable(timing::Monitor& monitor, timing::Section& section, Duration period,
                                 const TimerOptions& options, std::shared_ptr<Clock> clock,
                                 Timer::Callback callback)
    : Executable(monitor, section),
      clock_(std::move(clock)),
      monotonic_(clock_.get() == &monitor.clock()),
      overrun_(options.overrun),
      callback_(std::move(callback)),
      period_ns_(period.count()) {
  const auto reading = clock_->read();
  last_start_ns_.store(ns(reading.now));
  epoch_.store(reading.epoch);
  if (options.autostart) next_ns_.store(ns(grid::first(reading.now, period)));
}

TimerExecutable::~TimerExecutable() = default;

SteadyTime TimerExecutable::due() const noexcept {
  const auto next = next_ns_.load();
  if (next == kCancelled) return kNever;
  if (monotonic_) return SteadyTime{Duration{next}};
  return monitor_.clock().steady_now() + (clock_time(next) - clock_->now());
}

std::optional<timing::Outcome> TimerExecutable::run(RunContext& context) {
  const ClockReading reading =
      monotonic_ ? ClockReading{ClockTime{context.now.time_since_epoch()}, 0, true} : clock_->read();
  if (follow_jump(reading)) return std::nullopt;
  auto slot = next_ns_.load();
  if (slot == kCancelled || ns(reading.now) < slot) {
    due_changed();
    return std::nullopt;
  }
  const auto step = grid::take(clock_time(slot), period(), overrun_, reading.now);
  if (!next_ns_.compare_exchange_strong(slot, ns(step.next))) {  // cancelled or reset meanwhile
    due_changed();
    return std::nullopt;
  }
  last_start_ns_.store(ns(reading.now), std::memory_order_relaxed);
  due_changed();

  timing::Trigger trigger;
  trigger.release = step.release;
  trigger.start = context.now;
  if (!monotonic_) trigger.start_on_clock = reading.now;
  trigger.skipped = static_cast<std::uint32_t>(std::min<std::int64_t>(step.skipped, UINT32_MAX));
  auto activation = context.recorder.begin(section(), trigger);
  try {
    callback_(TimerInfo{step.release, reading.now, step.skipped});
  } catch (...) {
    activation.flags |= timing::kThrew;
    context.recorder.end(activation);
    throw;
  }
  return context.recorder.end(activation);
}

// A jump of the clock drops the pending event; the slot moves as the grid's rule says.
bool TimerExecutable::follow_jump(const ClockReading& reading) noexcept {
  if (epoch_.exchange(reading.epoch) == reading.epoch) return false;
  auto slot = next_ns_.load();
  if (slot == kCancelled) return true;
  const auto last_start = clock_time(last_start_ns_.load(std::memory_order_relaxed));
  const auto moved = grid::after_jump(clock_time(slot), period(), last_start, clock_time(slot), reading.now);
  next_ns_.compare_exchange_strong(slot, ns(moved));
  section().count_excluded(timing::kClockJumped);
  due_changed();
  return true;
}

void TimerExecutable::spin_begins(SteadyTime now) noexcept {
  const auto on_clock = monotonic_ ? ClockTime{now.time_since_epoch()} : clock_->now();
  auto slot = next_ns_.load();
  if (slot == kCancelled || ns(on_clock) <= slot || always_ready()) return;
  // Slots before the first spin could not run: the grid keeps its phase, and they are excluded instead of
  // missed.
  const auto passed = (ns(on_clock) - slot + period().count() - 1) / period().count();
  if (next_ns_.compare_exchange_strong(slot, slot + passed * period().count())) {
    section().count_excluded(timing::kClockNotStarted, static_cast<std::uint64_t>(passed));
  }
}

void TimerExecutable::cancel() noexcept {
  next_ns_.store(kCancelled);
  due_changed();
}

void TimerExecutable::reset() noexcept {
  const auto reading = clock_->read();
  epoch_.store(reading.epoch);
  next_ns_.store(ns(grid::first(reading.now, period())));
  due_changed();
}

void TimerExecutable::set_period(Duration period) noexcept {
  period_ns_.store(period.count(), std::memory_order_relaxed);
  due_changed();
}

Duration TimerExecutable::time_until_trigger() const noexcept {
  const auto next = next_ns_.load();
  return next == kCancelled ? Duration::max() : clock_time(next) - clock_->now();
}

}  // namespace takt
