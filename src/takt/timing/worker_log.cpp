// SPDX-License-Identifier: Apache-2.0
// What every activation goes through: kept together and small, because at low rates all of it comes from
// memory. What is rare is in worker_follow_up.cpp.
#include "takt/timing/worker_log.hpp"

#include <algorithm>

#include "takt/timing/fold.hpp"

namespace takt::timing {

namespace {

thread_local constinit Activation* current = nullptr;

/// Field by field, where it stays.
void fill(ActivationRecord& record, const Activation& a, SteadyTime finish) noexcept {
  record.release_ns = a.release.time_since_epoch().count();
  record.start_clock_ns = a.start_on_clock.time_since_epoch().count();
  record.start_ns = a.start.time_since_epoch().count();
  record.finish_ns = finish.time_since_epoch().count();
  record.arrival_ns = a.arrival.time_since_epoch().count();
  record.origin_ns = a.origin.at.time_since_epoch().count();
  record.section = a.section->id();
  record.origin_section = a.origin.section;
  record.skipped = a.skipped;
  record.flags = (a.flags & kFlagMask) | static_cast<std::uint32_t>(a.index << kIndexShift);
}

}  // namespace

Activation* current_activation() noexcept { return current; }

Activation::Activation(Section& entered, const Trigger& trigger, SteadyTime now) noexcept
    : section(&entered),
      start(now),
      release(trigger.release),
      start_on_clock(trigger.start_on_clock.value_or(ClockTime{now.time_since_epoch()})),
      arrival(trigger.arrival.value_or(now)),
      origin(trigger.origin.value_or(Origin{now, entered.origin_id()})),
      index(entered.count_begun()),
      interval(entered.since_last_start(now.time_since_epoch().count(), (trigger.flags & kExcluded) != 0)),
      skipped(trigger.skipped),
      flags(trigger.flags & kFlagMask),
      outer(current) {
  current = this;
}

Activation WorkerLog::enter(Section& section, const Trigger& trigger) noexcept {
  const auto now = trigger.start ? *trigger.start : clock_.steady_now();
  records.prefetch();
  if (current == nullptr) open_since_ns_.store(now.time_since_epoch().count(), std::memory_order_release);
  return {section, trigger, now};
}

Activation WorkerLog::enter_now(Section& section) noexcept {
  section.prefetch();  // meanwhile the clock is read
  Trigger trigger;
  trigger.start = clock_.steady_now();
  trigger.release = ClockTime{trigger.start->time_since_epoch()};
  return enter(section, trigger);
}

Outcome WorkerLog::leave(Activation& activation) noexcept {
  last_finish_ = clock_.steady_now();
  current = activation.outer;
  const auto lateness = activation.start_on_clock - activation.release;
  Outcome outcome;
  outcome.response = lateness + (last_finish_ - activation.start);
  const auto judgement = count(activation, outcome.response);
  outcome.missed = judgement.missed;
  if (outcome.missed) {
    outcome.stop = follow_up(activation, judgement.value);
  } else {
    if (activation.section->ends_chains()) outcome.stop = close_chains(activation);
    if (counters_ && activation.outer == nullptr && long_awake()) before_wait();
  }
  record(activation);
  if (activation.outer == nullptr) open_since_ns_.store(INT64_MAX, std::memory_order_release);
  if (house_ != nullptr) house_->stir();
  return outcome;
}

WorkerLog::Judged WorkerLog::count(Activation& activation, Duration response) noexcept {
  Section& section = *activation.section;
  if (activation.index <= section.warmup_.load(std::memory_order_relaxed)) activation.flags |= kWarmup;
  if (!activation.interval) activation.flags |= kNoInterval;
  section.count_activation();
  if (section.deadline() != kNoDeadline) judges_ = true;
  if ((activation.flags & kExcluded) != 0) section.count_excluded(static_cast<RecordFlags>(activation.flags));
  if (!is_judged(activation.flags)) return {};
  if (activation.skipped != 0) section.skips_.fetch_add(activation.skipped, std::memory_order_relaxed);
  if (!section.breaks(response, activation.interval)) return {};
  section.misses_.fetch_add(1, std::memory_order_relaxed);
  const bool by_interval = section.options().rule == MissRule::interval;
  return {true, by_interval ? activation.interval.value_or(Duration{}) : response};
}

/// A worker that never waits would compare a miss with its distant past: it takes a snapshot now and then.
bool WorkerLog::long_awake() const noexcept {
  constexpr std::int64_t kLongest = 20'000'000;
  return last_finish_.time_since_epoch().count() - std::max(snapshot_ns_, wake_ns_) > kLongest;
}

void WorkerLog::record(const Activation& activation) noexcept {
  auto* place = records.next();
  if (place == nullptr && fold_ != nullptr && fold_->try_drain(*this)) place = records.next();
  if (place == nullptr) return count_lost(activation);
  fill(*place, activation, last_finish_);
  records.push();
  if (house_ != nullptr && records.grows_full()) house_->hurry();
}

}  // namespace takt::timing
