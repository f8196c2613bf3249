// SPDX-License-Identifier: Apache-2.0
// What a timer does when simulated time moves, jumps or changes its source. In the thread that has the news;
// the new time is visible already, so that a worker finds either the old epoch (and drops what it has) or the
// new slot.
#include <algorithm>

#include "takt/graph/timer_executable.hpp"
#include "takt/timing/monitor.hpp"

namespace takt {

namespace {

timing::ClockState state_of(const TimeState& time) noexcept {
  if (!time.active) return timing::ClockState::runs;
  if (!time.started) return timing::ClockState::not_started;
  return time.stands ? timing::ClockState::stands : timing::ClockState::runs;
}

}  // namespace

void TimerExecutable::time_changed(const TimeEvent& event) noexcept {
  section().set_clock(event.after.active ? ClockKind::simulated : clock_->kind(), state_of(event.after));
  switch (event.kind) {
    case TimeEvent::Kind::joined: {
      const auto reading = ros_->read(event.after);
      epoch_.store(reading.epoch);
      stops_.store(event.after.stops);
      if (autostart_) start_grid(reading, period());
      return due_changed();
    }
    case TimeEvent::Kind::sample:
      return sample_came(event.after);
    case TimeEvent::Kind::stands:
      return;
    case TimeEvent::Kind::back:
      return went_back(event);
    case TimeEvent::Kind::source:
      return source_changed(event);
  }
}

void TimerExecutable::sample_came(const TimeState& after) noexcept {
  if (!after.active || !after.started) return;
  auto slot = next_ns_.load();
  if (slot == kWaiting) {  // time starts: so does the grid
    last_start_ns_.store(as_ns(after.now));
    next_ns_.compare_exchange_strong(slot, as_ns(after.now) + first_ns_.load());
  }
  announce(after);
}

/// Makes it ready, once for each slot.
void TimerExecutable::announce(const TimeState& after) noexcept {
  const auto slot = next_ns_.load();
  if (!pending(slot, after.now) || announced_ns_.load() == slot) return;
  arrival_ns_.store(as_ns(after.arrival));  // before the slot that it belongs to
  announced_ns_.store(slot);
  notify(after.arrival);
}

/// rcl: to before the last call (or the origin of the grid), the next slot is a period from now; a smaller
/// step leaves it where it is.
void TimerExecutable::went_back(const TimeEvent& event) noexcept {
  announced_ns_.store(kCancelled);
  auto last_start = clock_time(last_start_ns_.load(std::memory_order_relaxed));
  bool anew = false;
  const auto slot = move_to_epoch(ros_->read(event.after).epoch, [&](std::int64_t old) {
    if (old >= kWaiting) return old;
    const auto moved =
        as_ns(grid::after_jump(clock_time(old), period(), last_start, event.before.now, event.after.now));
    anew = moved != old;
    last_start = event.before.now;  // should a worker take the slot just now
    return moved;
  });
  if (anew) last_start_ns_.store(as_ns(event.after.now), std::memory_order_relaxed);
  if (slot && pending(*slot, event.before.now)) section().count_excluded(timing::kClockJumped);
  sample_came(event.after);
}

/// What was left until the slot is left after the change, too, as the comment in rcl says (its code waits for
/// what had passed instead). A reset meanwhile has put the slot on the new source already.
void TimerExecutable::source_changed(const TimeEvent& event) noexcept {
  const auto old = ros_->read(event.before);
  const auto fresh = ros_->read(event.after);
  announced_ns_.store(kCancelled);
  const auto slot = move_to_epoch(fresh.epoch, [&](std::int64_t before) {
    if (before == kCancelled) return before;
    const auto rest = before == kWaiting ? Duration{first_ns_.load()} : clock_time(before) - old.now;
    const auto left = std::max(rest, Duration{});
    first_ns_.store(left.count());
    return fresh.started ? as_ns(fresh.now + left) : kWaiting;
  });
  if (slot) {
    last_start_ns_.store(as_ns(fresh.now), std::memory_order_relaxed);
    if (pending(*slot, old.now)) section().count_excluded(timing::kClockJumped);
  }
  due_changed();
}

}  // namespace takt
