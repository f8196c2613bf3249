// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/fold.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "takt/timing/machine.hpp"

namespace takt::timing {

Fold::Fold(const MonotonicClock& clock, bool real_clock, std::uint32_t ring_records)
    : clock_(clock),
      real_clock_(real_clock),
      pending_(std::size_t{2} * ring_records),
      evidence_(ring_records),
      rt_hole_ns_(rt_throttling_hole_ns()) {
  free_evidence_.resize(evidence_.size());
  std::iota(free_evidence_.begin(), free_evidence_.end(), 0U);
}

void Fold::add(SectionFold& section) {
  const std::lock_guard lock(mutex_);
  const auto id = section.section.id();
  if (sections_.size() <= id) sections_.resize(id + 1);
  sections_[id] = &section;
}

void Fold::remove(SectionId id) {
  const std::lock_guard lock(mutex_);
  sections_[id] = nullptr;
}

void Fold::add(std::shared_ptr<WorkerLog> log) {
  const std::lock_guard lock(mutex_);
  log->number = static_cast<std::uint32_t>(workers_.size());
  const auto& options = log->options();
  workers_.push_back({options.asked, options.granted, options.pool, std::move(log)});
}

/// Keeps the evidence of the record and returns its place. Evidence whose record was lost is passed over.
std::uint32_t Fold::evidence_for(WorkerLog& log, const ActivationRecord& record) noexcept {
  if ((record.flags & kEvidence) == 0) return kNone;
  Evidence evidence;
  do {
    if (!log.evidence.try_pop(evidence)) return kNone;
  } while (evidence.taken_ns < record.finish_ns);
  if (free_evidence_.empty()) return kNone;
  const auto place = free_evidence_.back();
  free_evidence_.pop_back();
  evidence_[place] = evidence;
  return place;
}

/// Takes records out of a worker's ring. True: it is empty now.
bool Fold::drain(WorkerLog& log, std::size_t limit) noexcept {
  Pending pending{{}, log.number, kNone};
  for (; limit > 0 && !pending_.full(); --limit) {
    if (!log.records.try_pop(pending.record)) return true;
    pending.evidence = evidence_for(log, pending.record);
    pending_.push(pending);
  }
  return log.records.front() == nullptr;
}

/// Folds what starts at or before `until_ns`, at most `limit` records; returns how many.
std::size_t Fold::process(std::int64_t until_ns, std::size_t limit, bool collect) noexcept {
  std::size_t done = 0;
  for (; done < limit && !pending_.empty() && pending_.front().record.start_ns <= until_ns; ++done) {
    const auto& pending = pending_.front();
    fold_one(pending);
    if (pending.evidence != kNone) free_evidence_.push_back(pending.evidence);
    if (collect) collected_.push_back(pending.record);
    pending_.pop();
  }
  return done;
}

/// Starts from here on may still be preceded by one that has not been recorded yet.
std::int64_t Fold::held_from(std::int64_t now_ns) const noexcept {
  auto from = now_ns;
  for (const auto& worker : workers_) {
    if (worker.log) from = std::min(from, worker.log->open_since_ns());
  }
  return std::max(from, now_ns - kLongestHold.count());
}

bool Fold::run(bool everything) {
  constexpr int kMostRounds = 256;  // workers that record faster than this folds must not keep it for ever
  const std::lock_guard running(run_mutex_);
  std::size_t total = 0;
  bool more = true;
  for (int round = 0; more && round < kMostRounds; ++round) {
    {
      const std::lock_guard lock(mutex_);
      const auto done = fold_batch(everything);
      total += done;
      more = more_;
    }
    deliver();
  }
  return total > 0;
}

std::size_t Fold::fold_batch(bool everything) {
  const auto now_ns = clock_.steady_now().time_since_epoch().count();
  if (real_clock_) {
    steal_.refresh(now_ns);
    if (minor_fault_ns_ == 0) minor_fault_ns_ = minor_fault_cost_ns();
  }
  const auto until_ns = everything ? INT64_MAX : held_from(now_ns);  // before the rings are looked at
  bool drained = true;
  for (const auto& worker : workers_) {
    if (worker.log) drained = drain(*worker.log, kBatch) && drained;
  }
  // Only with all rings empty is the earliest known; without room there is no choice.
  std::size_t done = drained ? process(until_ns, kBatch, watched_) : 0;
  if (done == 0 && pending_.full()) done = process(INT64_MAX, kBatch, watched_);
  more_ = !drained || done == kBatch;
  if (!more_) drop_ended();
  return done;
}

bool Fold::try_drain(WorkerLog& log) noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  ++inline_folds_;
  // Observers may do anything, so not here: what they have not seen yet must wait for the house.
  if (pending_.full() && !watched_) process(INT64_MAX, pending_.capacity() / 2, false);
  drain(log, log.records.capacity());
  return log.records.size() < log.records.capacity();
}

void Fold::reset() {
  run(true);
  const std::lock_guard lock(mutex_);
  reset_ns_ = clock_.steady_now().time_since_epoch().count();
  first_start_ns_ = INT64_MAX;
  inline_folds_ = 0;
  history_.clear();
  for (auto* section : sections_) {
    if (section != nullptr) section->clear();
  }
}

/// A thread that has ended writes no more: once its ring is empty the log can go.
void Fold::drop_ended() {
  for (auto& worker : workers_) {
    if (worker.log && worker.log->ended() && worker.log->records.size() == 0) worker.log = nullptr;
  }
}

std::shared_ptr<void> Fold::observe(Observer observer) {
  run(true);  // what was recorded before is not for it
  const std::lock_guard running(run_mutex_);
  auto watch = std::make_shared<Watch>(Watch{std::move(observer)});
  watches_.push_back(watch);
  const std::lock_guard lock(mutex_);
  watched_ = true;
  return {watch.get(), [this, watch](void*) {
            const std::lock_guard still_running(run_mutex_);
            watch->alive = false;
            std::erase(watches_, watch);
            const std::lock_guard still_folding(mutex_);
            watched_ = !watches_.empty();
          }};
}

void Fold::deliver() {
  if (collected_.empty()) return;
  const auto records = std::exchange(collected_, {});  // an observer may fold again
  const auto watches = watches_;
  for (const auto& record : records) {
    for (const auto& watch : watches) {
      if (watch->alive) watch->observer(record);
    }
  }
}

}  // namespace takt::timing
