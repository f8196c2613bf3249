// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/ros_time.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"

namespace takt {

namespace {

/// A step so much longer than the one before it is a jump: time that nobody lived through.
constexpr int kJump = 10;

}  // namespace

/// One writer at a time, who is known: a jump callback runs inside.
class RosTime::Writing {
 public:
  explicit Writing(RosTime& time) : time_(time), lock_(time.mutex_) { enter(); }
  Writing(RosTime& time, std::adopt_lock_t adopt) : time_(time), lock_(time.mutex_, adopt) { enter(); }
  ~Writing() { time_.writer_.store({}); }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  void enter() noexcept { time_.writer_.store(std::this_thread::get_id()); }

  RosTime& time_;
  const std::lock_guard<std::mutex> lock_;
};

bool RosTime::writing_here() const noexcept { return writer_.load() == std::this_thread::get_id(); }

RosTime::RosTime(std::shared_ptr<MonotonicClock> monotonic)
    : monotonic_(std::move(monotonic)), audience_(std::make_unique<Audience>()) {
  prepare_disposal();
}

void RosTime::refuse_in_jump_callback() const {
  if (!writing_here()) return;
  throw SetupError("a jump callback changes the source of its own clock",
                   "do it after the callback has returned");
}

void RosTime::set_active(bool active) {
  refuse_in_jump_callback();
  const Writing writing(*this);
  const auto before = state();
  if (before.active == active) return;
  auto after = before;
  after.active = active;
  after.started = after.stands = false;
  after.now = after.jumped_from = after.jumped_to = ClockTime{};
  after.arrival = monotonic_->steady_now();
  ++after.epoch;
  source_changes_.fetch_add(1);
  last_step_ = Duration::zero();
  const TimeJump jump{active ? ClockChange::ROS_TIME_ACTIVATED : ClockChange::ROS_TIME_DEACTIVATED, {}};
  publish(TimeEvent::Kind::source, before, after, &jump);
}

void RosTime::set(ClockTime sample, SteadyTime arrival, bool next) noexcept {
  if (writing_here()) return;  // a jump callback that sets its own clock
  const Writing writing(*this);
  move_to(sample, arrival, next);
}

bool RosTime::silence() noexcept {
  // Who holds it may wait for the caller in a jump callback.
  if (writing_here() || !mutex_.try_lock()) return false;
  const Writing writing(*this, std::adopt_lock);  // a sample that comes now is not taken back
  move_to(state().now, monotonic_->steady_now(), true);
  return true;
}

void RosTime::move_to(ClockTime sample, SteadyTime arrival, bool next) noexcept {
  const auto before = state();
  if (!before.active) return;
  auto after = before;
  after.now = sample;
  after.arrival = arrival;
  if (sample == before.now) {  // the first sample of all may be 0 as well: not started
    if (!before.started || before.stands) return;
    after.arrival = before.arrival;
    after.stands = true;
    return publish(TimeEvent::Kind::stands, before, after, nullptr);
  }
  const auto step = sample - before.now;
  const bool back = step < Duration::zero();
  const bool jumped =
      !back && next && last_step_ > Duration::zero() && (step - Duration{1}) / kJump >= last_step_;
  if (back) ++after.epoch;
  if (jumped) std::tie(after.jumped_from, after.jumped_to) = std::pair(before.now, sample);
  // The first step of all comes from 0 and tells nothing; a lost sample makes a step longer, not the clock.
  if (before.started && !back && !jumped && next) last_step_ = step;
  after.started = true;
  after.stands = false;
  if (before.stands) ++after.stops;
  const TimeJump jump{ClockChange::ROS_TIME_NO_CHANGE, step};
  publish(back ? TimeEvent::Kind::back : TimeEvent::Kind::sample, before, after, &jump);
}

void RosTime::end() noexcept {
  ended_.store(true);
  word_.fetch_add(1);
  futex::wake_all(word_);
}

void RosTime::publish(TimeEvent::Kind kind, const TimeState& before, const TimeState& after,
                      const TimeJump* jump) noexcept {
  const TimeEvent event{kind, before, after};
  {
    const auto audience = audience_.read();  // a handler that comes in between hears neither
    const auto call = [&](const TimeJump* given) {
      if (jump == nullptr) return;
      for (const auto& handler : audience->handlers) {
        if (handler->wants(*jump)) handler->call(given);
      }
    };
    call(nullptr);  // the new time is not visible yet
    tell(event);
    wake_sleepers(event);
    call(jump);
  }
  const std::lock_guard lock(audience_mutex_);
  audience_.collect();
}

/// Who joins meanwhile does so at the time before and hears the event, or at the new time and does not.
void RosTime::tell(const TimeEvent& event) noexcept {
  const std::lock_guard lock(audience_mutex_);
  cell_.write(event.after);
  for (const auto& listener : audience_.current().listeners) listener->time_changed(event);
}

// A sleeper counts itself in, then writes its time, then reads the state once more; here the state is written
// first. So one of the two sees the other. A change of the source moves the word also for one that has not
// counted itself in: what it waits for on the old one does not come any more.
void RosTime::wake_sleepers(const TimeEvent& event) noexcept {
  if (event.kind == TimeEvent::Kind::source) word_.fetch_add(1);
  if (sleepers_.load() == 0) return;
  if (event.kind == TimeEvent::Kind::stands) return;
  if (event.kind == TimeEvent::Kind::sample && as_ns(event.after.now) < earliest_sleep_ns_.load()) return;
  earliest_sleep_ns_.store(INT64_MAX);  // who wakes and is not due says so again
  word_.fetch_add(1);
  futex::wake_all(word_);
}

void RosTime::sleep(std::uint32_t seen, ClockTime until, SteadyTime limit) noexcept {
  sleepers_.fetch_add(1);
  auto earliest = earliest_sleep_ns_.load();
  while (as_ns(until) < earliest && !earliest_sleep_ns_.compare_exchange_weak(earliest, as_ns(until))) {
  }
  const auto now = state();
  if (!now.active || now.now < until) monotonic_->wait(word_, seen, limit);
  sleepers_.fetch_sub(1);
}

template <class Change>
void RosTime::change_audience(Change change) {
  auto next = std::make_unique<Audience>();
  const auto& current = audience_.current();
  next->listeners = current.listeners;
  next->handlers = current.handlers;
  change(*next);
  audience_.replace(std::move(next));
  audience_.collect();
}

void RosTime::add(std::shared_ptr<TimeListener> listener) {
  const std::lock_guard lock(audience_mutex_);
  change_audience([&](Audience& audience) { audience.listeners.push_back(listener); });
  const auto now = state();
  listener->time_changed({TimeEvent::Kind::joined, now, now});
}

void RosTime::remove(const TimeListener& listener) {
  const std::lock_guard lock(audience_mutex_);
  change_audience([&](Audience& audience) {
    std::erase_if(audience.listeners, [&](const auto& one) { return one.get() == &listener; });
  });
}

void RosTime::add(std::shared_ptr<JumpHandler> handler) {
  const std::lock_guard lock(audience_mutex_);
  change_audience([&](Audience& audience) { audience.handlers.push_back(std::move(handler)); });
}

void RosTime::remove(const JumpHandler& handler) {
  const std::lock_guard lock(audience_mutex_);
  change_audience([&](Audience& audience) {
    std::erase_if(audience.handlers, [&](const auto& one) { return one.get() == &handler; });
  });
}

}  // namespace takt
