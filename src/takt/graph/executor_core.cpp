// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/executor_core.hpp"

#include <algorithm>
#include <utility>

#include "takt/core/log.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/host_link.hpp"

namespace takt {

namespace {
thread_local Worker* t_worker = nullptr;
}  // namespace

Worker* current_worker() noexcept { return t_worker; }

WorkerScope::WorkerScope(ExecutorCore& core, timing::Recorder& recorder, std::size_t index) noexcept
    : worker_{&core, &recorder, index, t_worker, false} {
  t_worker = &worker_;
}
WorkerScope::~WorkerScope() { t_worker = worker_.outer; }

ExecutorCore::ExecutorCore(Context& context)
    : context_(context),
      clock_(*context.clock()),
      ready_(this),
      doorbell_(clock_, context.host() != nullptr ? context.host()->claim_bell() : nullptr) {
  for (auto& sleep : sleep_until_ns_) sleep.store(kAwake);
  house_task_ = context.house().add([this] { return sweep(); });
}

ExecutorCore::~ExecutorCore() = default;

// ---- news

void ExecutorCore::set_ready(ReadySlot& slot, SteadyTime since) noexcept {
  ready_.set(slot, since);
  // The only worker looks again anyway, before it waits.
  if (t_worker != nullptr && t_worker->core == this && threads_.load(std::memory_order_relaxed) == 1) return;
  ring();
}

void ExecutorCore::due_changed(ReadySlot& slot, const Executable& callback) noexcept {
  auto due = callback.due();
  for (auto last = kNever; due != last;
       due = callback.due()) {  // until no other thread has moved it meanwhile
    slot.period_ns.store(callback.period().count(), std::memory_order_relaxed);
    slot.due_ns.store(as_ns(due));
    last = due;
    if (callback.due() == last) break;
  }
  if (sleepers_.load() > 0 && due != kNever && !covered(due)) ring();
}

void ExecutorCore::ring() noexcept {
  doorbell_.move();
  if (sleepers_.load() > 0) doorbell_.wake_one();
}

void ExecutorCore::ring_all() noexcept {
  doorbell_.move();
  doorbell_.wake_all();
}

// Whoever sends from another process moves the bell after it has sent. So what was sent before the value that
// is read here is found now.
void ExecutorCore::hear_other_processes() noexcept {
  const auto bell = doorbell_.value();
  if (heard_.load(std::memory_order_relaxed) == bell) return;
  ready_.for_each_hearing([&](ReadySlot& slot) {
    if (!slot.enter()) return;
    if (slot.executable->has_work()) ready_.set(slot, clock_.steady_now());
    slot.leave();
  });
  heard_.store(bell, std::memory_order_relaxed);
}

bool ExecutorCore::covered(SteadyTime due) const noexcept {
  const auto threads = threads_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < threads; ++i) {
    const auto until = sleep_until_ns_[i].load();
    if (until != kAwake && until <= as_ns(due)) return true;
  }
  return false;
}

// ---- workers

ReadySlot* ExecutorCore::best(const ReadySet::Mask* only, const ReadySet::Mask* skip) const noexcept {
  ReadySlot* best = nullptr;
  const auto before = [](const ReadySlot& a, const ReadySlot& b) {
    constexpr auto relaxed = std::memory_order_relaxed;
    if (const auto p = a.priority.load(relaxed), q = b.priority.load(relaxed); p != q) return p > q;
    if (const auto p = a.ready_since_ns.load(relaxed), q = b.ready_since_ns.load(relaxed); p != q)
      return p < q;
    return a.order.load(relaxed) < b.order.load(relaxed);
  };
  ready_.for_each_ready(only, [&](ReadySlot& slot) {
    if (skip != nullptr && ReadySet::contains(*skip, slot)) return;
    if (best == nullptr || before(slot, *best)) best = &slot;
  });
  return best;
}

bool ExecutorCore::run_one(Worker& worker, ReadySet::Mask* only) {
  hear_other_processes();
  // After an activation its finish is the time: one reading of the clock less in a chain of callbacks.
  const bool just_ran = std::exchange(worker.just_ran, false);
  const auto now = just_ran ? worker.recorder->last_finish() : clock_.steady_now();
  const auto next_due = ready_.release_due(now);
  while (ReadySlot* slot = best(only, nullptr)) {
    const auto start = try_run(worker, *slot, now, next_due);
    if (start == Start::group_busy) return run_another(worker, only, *slot, now, next_due);
    if (start == Start::lost) continue;
    if (only != nullptr) ReadySet::clear(*only, *slot);
    return true;
  }
  return just_ran && run_one(worker, only);  // a timer may have become due since
}

/// As run_one, when the best one's group is busy with another worker: looks past it, and past others like it.
bool ExecutorCore::run_another(Worker& worker, ReadySet::Mask* only, const ReadySlot& busy, SteadyTime now,
                               SteadyTime next_due) {
  ReadySet::Mask skip{};
  ReadySet::add(skip, busy);
  while (ReadySlot* slot = best(only, &skip)) {
    switch (try_run(worker, *slot, now, next_due)) {
      case Start::ran:
        if (only != nullptr) ReadySet::clear(*only, *slot);
        return true;
      case Start::group_busy:
        ReadySet::add(skip, *slot);
        break;
      case Start::lost:
        break;
    }
  }
  return false;
}

ExecutorCore::Start ExecutorCore::try_run(Worker& worker, ReadySlot& slot, SteadyTime now,
                                          SteadyTime next_due) {
  if (!slot.enter()) {  // removed: its bit is nobody's, unless the slot has been given to another just now
    if (ready_.claim(slot) && !slot.removed()) set_ready(slot, now);
    return Start::lost;
  }
  GroupState* group = slot.group;
  if (group != nullptr && !group->try_own()) {
    slot.leave();
    return Start::group_busy;
  }
  const bool claimed = ready_.claim(slot);
  if (claimed) {
    slot.not_before_ns.store(as_ns(now) + 1, std::memory_order_relaxed);
    if (sleepers_.load() > 0) share_the_rest(slot, next_due);
    run(worker, slot, now);
  }
  if (group != nullptr) group->release();
  if (slot.leave() && group != nullptr) {
    if (ExecutorCore* home = group->moved_from(this)) home->ring();
  }
  return claimed ? Start::ran : Start::lost;
}

void ExecutorCore::share_the_rest(const ReadySlot& taken, SteadyTime next_due) noexcept {
  const auto group = taken.group_id.load(std::memory_order_relaxed);
  bool more = false;
  ready_.for_each_ready(nullptr, [&](ReadySlot& slot) {
    const auto other = slot.group_id.load(std::memory_order_relaxed);
    more = more || other == 0 || other != group;
  });
  if (more || (next_due != kNever && !covered(next_due))) ring();
}

void ExecutorCore::run(Worker& worker, ReadySlot& slot, SteadyTime now) {
  Executable& callback = *slot.executable;
  auto& running = running_[worker.index];
  const bool real_time = real_time_.load(std::memory_order_relaxed);
  if (real_time) {
    running.since_ns.store(as_ns(now), std::memory_order_relaxed);
    running.section.store(&callback.section(), std::memory_order_release);
    context_.house().stir();
  }
  RunContext context{*worker.recorder, now, slot.group == nullptr};
  try {
    const auto outcome = callback.run(context);
    worker.just_ran = outcome.has_value();
    if (outcome && outcome->stop) {
      fail(std::make_exception_ptr(
               DeadlineMissed(callback.name() + " missed its hard deadline and has no miss handler")),
           callback.name());
    }
  } catch (...) {
    fail(std::current_exception(), callback.name());
  }
  if (real_time) running.section.store(nullptr, std::memory_order_release);
  if (callback.has_work()) ready_.set(slot, clock_.steady_now());
}

SteadyTime ExecutorCore::wake_time_for(const Worker& worker) const noexcept {
  const auto due = ready_.earliest_due();
  auto others = kAwake;  // the latest wake time among the other sleepers that cover `due`
  for (std::size_t i = 0; i < threads_.load(std::memory_order_relaxed); ++i) {
    const auto until = i == worker.index ? kAwake : sleep_until_ns_[i].load();
    if (until != kAwake && until <= as_ns(due)) others = std::max(others, until);
  }
  return others == kAwake || due == kNever ? due : ready_.earliest_due_after(due);
}

/// True when there is something to look for before the wait.
bool ExecutorCore::poll(std::uint32_t bell, SteadyTime limit) noexcept {
  const auto begin = clock_.steady_now();
  const auto end = options_.busy_poll >= kNever - begin ? kNever : begin + options_.busy_poll;
  for (auto now = begin; now < end; now = clock_.steady_now()) {
    if (doorbell_.value() != bell || std::min(ready_.earliest_due(), limit) <= now || stopping()) return true;
  }
  return false;
}

void ExecutorCore::wait(Worker& worker, std::uint32_t bell, SteadyTime limit) noexcept {
  if (options_.busy_poll > Duration::zero() && poll(bell, limit)) return;
  worker.recorder->before_wait();
  auto& sleep_until = sleep_until_ns_[worker.index];
  sleepers_.fetch_add(1);
  auto until = wake_time_for(worker);
  sleep_until.store(as_ns(until));
  // A due time set before the store above was not compared with it: look once more (invariant 2).
  for (auto again = wake_time_for(worker); again < until; again = wake_time_for(worker)) {
    until = again;
    sleep_until.store(as_ns(until));
  }
  doorbell_.wait(bell, std::min(until, limit));
  sleep_until.store(kAwake);
  sleepers_.fetch_sub(1);
  worker.recorder->after_wait(clock_.steady_now());
}

bool ExecutorCore::called_from_worker() const noexcept {
  for (const Worker* w = t_worker; w != nullptr; w = w->outer) {
    if (w->core == this) return true;
  }
  return false;
}

// ---- the end of a spin

bool ExecutorCore::stopping() const noexcept { return stop_.load() || !context_.ok(); }

void ExecutorCore::stop() noexcept {
  stop_.store(true);
  ring_all();
}

void ExecutorCore::fail(std::exception_ptr exception, const std::string& callback) noexcept {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) {
      failure_ = std::move(exception);
      failed_callback_ = callback;
    }
  }
  if (!callback.empty()) {  // else a worker's set-up was refused: the exception says all
    log::write(log::Level::error, options_.name, "callback {} ended with an exception; spin() ends with it",
               callback);
  }
  stop();
}

void ExecutorCore::clear_failure() {
  const std::lock_guard lock(failure_mutex_);
  failure_ = nullptr;
  failed_callback_.clear();
}

void ExecutorCore::rethrow_failure() {
  std::exception_ptr failure;
  {
    const std::lock_guard lock(failure_mutex_);
    failure = std::exchange(failure_, nullptr);
  }
  if (failure) std::rethrow_exception(failure);
}

std::string ExecutorCore::failed_callback() const {
  const std::lock_guard lock(failure_mutex_);
  return failed_callback_;
}

}  // namespace takt
