// SPDX-License-Identifier: Apache-2.0
// The part of an executor core that runs under the graph mutex or on the house thread: who is attached.
#include <algorithm>

#include "takt/core/log.hpp"
#include "takt/graph/callback_group.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executor_core.hpp"
#include "takt/graph/host_link.hpp"

namespace takt {

void ExecutorCore::configure(const ExecutorOptions& options) {
  options_ = options;
  stop_.store(false);          // a cancel() of who had it before, when it did not spin
  options_.context = nullptr;  // the context owns this core
  threads_.store(std::min(options.threads, kMaxThreads));
  real_time_.store(is_real_time(options.scheduling));
  doorbell_.set_priority(priority_of(options.scheduling));
}

void ExecutorCore::attach(CallbackGroup& group) {
  for (const auto& callback : group.executables_) {
    if (callback->always_ready() && real_time_) {
      throw SetupError("timer " + callback->name() + " has a period of zero and executor " + options_.name +
                           " runs real-time threads, which it would never leave",
                       "give it a period, or put its group in an executor without real-time scheduling");
    }
  }
  group.state_.home.store(this);
  for (const auto& callback : group.executables_) attach(group, callback);
}

void ExecutorCore::attach(CallbackGroup& group, const std::shared_ptr<Executable>& callback) {
  if (callback->always_ready() && real_time_) {
    throw SetupError("timer " + callback->name() +
                         " has a period of zero: refused on the real-time threads of " + options_.name,
                     "give it a period");
  }
  std::uint32_t number = 0;
  if (!free_slots_.empty()) {
    number = free_slots_.back();
    free_slots_.pop_back();
  } else {
    if (next_slot_ == ReadySet::kCapacity) {
      throw SetupError("executor " + options_.name + " holds " + std::to_string(ReadySet::kCapacity) +
                           " callbacks already",
                       "spread the callbacks over several executors");
    }
    number = next_slot_++;
  }
  ReadySlot& slot = ready_.slot(number);
  const bool exclusive = group.type() == CallbackGroupType::MutuallyExclusive;
  slot.priority.store(group.options().priority, std::memory_order_relaxed);
  slot.order.store(next_order_++, std::memory_order_relaxed);
  slot.group_id.store(exclusive ? group.id() : 0, std::memory_order_relaxed);
  slot.due_ns.store(INT64_MAX);
  slot.not_before_ns.store(0, std::memory_order_relaxed);
  slot.fill(callback, exclusive ? &group.state_ : nullptr);
  if (callback->period() != Duration::zero() || callback->always_ready()) ready_.mark_timed(slot);
  callback->slot_.store(&slot);
  if (callback->hears_other_processes()) {
    ready_.mark_hearing(slot);
    callback->ring_at(doorbell_.row());
  }
  due_changed(slot, *callback);
  if (callback->has_work()) set_ready(slot, clock_.steady_now());
}

void ExecutorCore::detach(CallbackGroup& group, std::vector<ReadySlot*>& left) {
  for (const auto& callback : group.executables_) detach(*callback, left);
  ExecutorCore* here = this;
  group.state_.home.compare_exchange_strong(here, nullptr);
}

void ExecutorCore::detach(Executable& callback, std::vector<ReadySlot*>& left) {
  ReadySlot* slot = callback.slot_.exchange(nullptr);
  if (slot == nullptr || slot->core != this) return;
  slot->due_ns.store(INT64_MAX);
  if (callback.hears_other_processes()) callback.ring_at(context_.host()->bell_of_nobody());
  slot->mark_removed();
  ready_.claim(*slot);
  removed_slots_.push_back(slot->number);
  left.push_back(slot);
  context_.house().stir();
}

void ExecutorCore::wait_until_left(const std::vector<ReadySlot*>& left) const noexcept {
  if (called_from_worker()) return;
  for (const ReadySlot* slot : left) slot->wait_until_empty();
}

void ExecutorCore::spin_begins(bool first_only) {
  const std::lock_guard lock(context_.graph_mutex());
  if (first_only && ever_spun_) return;
  ever_spun_ = true;
  const auto now = clock_.steady_now();
  for (std::uint32_t number = 0; number < next_slot_; ++number) {
    ReadySlot& slot = ready_.slot(number);
    if (slot.removed()) continue;
    slot.executable->spin_begins(now);
    due_changed(slot, *slot.executable);
  }
}

bool ExecutorCore::sweep() {
  std::vector<std::shared_ptr<void>> retired;  // destroyed without the mutex
  bool more = false;
  {
    const std::lock_guard lock(context_.graph_mutex());
    auto& removed = removed_slots_;
    removed.erase(std::remove_if(removed.begin(), removed.end(),
                                 [&](std::uint32_t number) {
                                   ReadySlot& slot = ready_.slot(number);
                                   if (!slot.removed_and_empty()) return false;
                                   retired.push_back(std::move(slot.executable));

                                   free_slots_.push_back(number);
                                   return true;
                                 }),
                  removed.end());
    more = !removed.empty() || !retired.empty();  // who else holds these can let go in the next round
    more = watch_workers() || more;
  }
  return more;
}

bool ExecutorCore::watch_workers() {
  if (!real_time_ || options_.watchdog <= Duration::zero()) return false;
  bool busy = false;
  const auto now = clock_.steady_now();
  for (auto& running : running_) {
    const auto* section = running.section.load(std::memory_order_acquire);
    if (section == nullptr) continue;
    busy = true;
    const auto since_ns = running.since_ns.load(std::memory_order_relaxed);
    const Duration lasted = now - SteadyTime{Duration{since_ns}};
    if (lasted < options_.watchdog || running.reported_ns == since_ns) continue;
    running.reported_ns = since_ns;
    log::write(log::Level::warn, options_.name,
               "real-time callback {} has not returned for {:.1f} s: it starves what has a lower priority",
               section->full_name(), to_seconds(lasted));
  }
  return busy;
}

}  // namespace takt
