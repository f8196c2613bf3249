// SPDX-License-Identifier: Apache-2.0
// What is rare in the life of a worker's log: misses, chains, waits, records without room.
#include <sched.h>

#include <algorithm>
#include <utility>

#include "takt/timing/chain.hpp"
#include "takt/timing/fold.hpp"
#include "takt/timing/worker_log.hpp"

namespace takt::timing {

namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::int64_t kMarkEvery = 1'000'000'000;
}  // namespace

WorkerLog::WorkerLog(MonotonicClock& clock, House* house, Fold* fold, Options options)
    : records(options.records),
      evidence(std::max(options.records / 8, 2U)),
      clock_(clock),
      house_(house),
      fold_(fold),
      counters_(options.counters),
      options_(std::move(options)) {
  if (!counters_) return;
  thread_.emplace();
  system_.emplace();
  system_->refresh();  // touches its buffer
  keep_snapshot(thread_->read(), clock_.steady_now());
  mark_before_ = mark_ = {snapshot_ns_, snapshot_.cpu_ns};
}

bool WorkerLog::follow_up(Activation& activation, Duration value) noexcept {
  activation.flags |= kMissed;
  std::optional<Evidence> found;
  if (counters_) found = compare_with_snapshot(last_finish_);
  const bool stop = tell(*activation.section, activation.index, value);
  const bool chain_stops = close_chains(activation);
  if (found) {
    read_system(last_finish_);
    found->stolen_ns = system_->stolen(found->cpu).value_or(Evidence::kUnknown);
    found->throttled_ns = system_->throttled().value_or(Evidence::kUnknown);
    if (evidence.try_push(*found)) activation.flags |= kEvidence;
  }
  return stop || chain_stops;
}

bool WorkerLog::close_chains(const Activation& activation) noexcept {
  bool stop = false;
  for (auto* end = activation.section->chain_ends_.load(std::memory_order_acquire); end != nullptr;
       end = end->next) {
    Section& chain = *end->rule->chain;
    if (!activation.origin.known()) {
      chain.lost_origins_.fetch_add(1, kRelaxed);
      continue;
    }
    if (!end->rule->begins_at(activation.origin.section)) continue;
    const auto latency = last_finish_ - activation.origin.at;
    const auto origin_ns = activation.origin.at.time_since_epoch().count();
    const auto interval = chain.since_last_start(origin_ns, false);
    const auto index = chain.count_begun();
    chain.count_activation();
    if (index <= chain.warmup_.load(kRelaxed) || !chain.breaks(latency, interval)) continue;
    chain.misses_.fetch_add(1, kRelaxed);
    const bool by_interval = chain.options().rule == MissRule::interval;
    stop |= tell(chain, index, by_interval ? *interval : latency);
  }
  return stop;
}

/// Calls the miss handler. True: a hard deadline without one.
bool WorkerLog::tell(const Section& section, std::uint64_t index, Duration value) noexcept {
  const auto& options = section.options();
  if (!options.on_miss) return options.criticality == Criticality::hard;
  options.on_miss({options.name.c_str(), index, value, section.deadline(), last_finish_});
  return false;
}

void WorkerLog::count_lost(const Activation& activation) noexcept {
  Section& section = *activation.section;
  section.not_recorded_.fetch_add(1, kRelaxed);
  if ((activation.flags & kMissed) != 0) section.not_recorded_misses_.fetch_add(1, kRelaxed);
  if (is_judged(activation.flags)) section.not_recorded_skips_.fetch_add(activation.skipped, kRelaxed);
  for (auto* end = section.chain_ends_.load(std::memory_order_acquire); end != nullptr; end = end->next) {
    if (!end->rule->begins_at(activation.origin.section)) continue;
    Section& chain = *end->rule->chain;
    chain.not_recorded_.fetch_add(1, kRelaxed);
    if (chain.breaks(last_finish_ - activation.origin.at, std::nullopt))
      chain.not_recorded_misses_.fetch_add(1, kRelaxed);
  }
}

/// Who runs nothing that can miss needs no snapshots; the first waits have them, for what may come first.
void WorkerLog::before_wait() noexcept {
  constexpr std::uint32_t kFirstWaits = 16;
  if (!thread_) return;
  if (!judges_ && ++waits_ > kFirstWaits) {
    waits_ = kFirstWaits;
    wake_ns_ = Evidence::kUnknown;
    return;
  }
  const auto sample = thread_->read();
  keep_snapshot(sample, clock_.steady_now());
}

void WorkerLog::keep_snapshot(const ThreadSample& sample, SteadyTime now) noexcept {
  snapshot_ = sample;
  snapshot_ns_ = now.time_since_epoch().count();
  wake_ns_ = Evidence::kUnknown;
  if (snapshot_ns_ - mark_.at_ns < kMarkEvery) return;
  mark_before_ = mark_;
  mark_ = {snapshot_ns_, sample.cpu_ns};
}

void WorkerLog::after_wait(SteadyTime now) noexcept { wake_ns_ = now.time_since_epoch().count(); }

/// A storm of misses must not spend the thread's time on reading files.
void WorkerLog::read_system(SteadyTime now) noexcept {
  constexpr Duration kRest = std::chrono::milliseconds{2};
  if (now - system_read_ < kRest) return;
  system_->refresh();
  system_read_ = now;
}

Evidence WorkerLog::compare_with_snapshot(SteadyTime now) noexcept {
  constexpr std::int64_t kNoSleep = 3'000;  // a wait this short returned at once, without a context switch
  const auto sample = thread_->read();
  Evidence e;
  e.since_ns = snapshot_ns_;
  e.taken_ns = now.time_since_epoch().count();
  e.wake_ns = wake_ns_;
  e.cpu_ns = sample.cpu_ns - snapshot_.cpu_ns;
  if (sample.delay_ns >= 0) e.delay_ns = sample.delay_ns - snapshot_.delay_ns;
  e.minor_faults = static_cast<std::uint32_t>(sample.minor_faults - snapshot_.minor_faults);
  e.major_faults = static_cast<std::uint32_t>(sample.major_faults - snapshot_.major_faults);
  e.voluntary = static_cast<std::uint32_t>(sample.voluntary - snapshot_.voluntary);
  e.involuntary = static_cast<std::uint32_t>(sample.involuntary - snapshot_.involuntary);
  if (wake_ns_ != Evidence::kUnknown && wake_ns_ - snapshot_ns_ > kNoSleep && e.voluntary > 0) --e.voluntary;
  const auto& mark = e.taken_ns - mark_.at_ns >= kMarkEvery * 9 / 10 ? mark_ : mark_before_;
  e.busy_ns = sample.cpu_ns - mark.cpu_ns;
  e.busy_over_ns = e.taken_ns - mark.at_ns;
  e.cpu = sched_getcpu();
  keep_snapshot(sample, now);
  return e;
}

}  // namespace takt::timing
