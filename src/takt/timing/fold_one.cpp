// SPDX-License-Identifier: Apache-2.0
// What the fold does with one record: its section, the chains that end with it, and the search for the cause
// of a miss.
#include <algorithm>

#include "takt/timing/fold.hpp"

namespace takt::timing {

void Fold::fold_one(const Pending& pending) noexcept {
  const auto& record = pending.record;
  if (record.start_ns < reset_ns_) return;
  if (sections_[record.section] == nullptr) return;  // closed
  first_start_ns_ = std::min(first_start_ns_, record.start_ns);
  auto& section = *sections_[record.section];
  const auto index = section.index_of(record);
  if ((record.flags & kMissed) != 0) section.add_miss(explain(pending, section, index));
  section.add(record, index, pending.worker);
  history_.add({record.start_ns, record.finish_ns, record.response_ns(), record.lateness_ns(),
                record.origin_ns, index, record.section, record.origin_section,
                section.section.options().group, pending.worker});
  fold_chains(record, pending.worker);
}

void Fold::fold_chains(const ActivationRecord& record, std::uint32_t worker) noexcept {
  if (record.origin_section == 0) return;
  const auto& last = sections_[record.section]->section;
  for (auto* end = last.chain_ends_.load(std::memory_order_acquire); end != nullptr; end = end->next) {
    if (!end->rule->begins_at(record.origin_section)) continue;
    auto& chain = *sections_[end->rule->chain->id()];
    ActivationRecord whole = record;
    whole.section = chain.section.id();
    whole.release_ns = whole.start_clock_ns = whole.start_ns = whole.arrival_ns = record.origin_ns;
    whole.skipped = 0;
    const auto index = chain.activations + chain.section.not_recorded_.load(std::memory_order_relaxed) + 1;
    whole.flags = index <= chain.section.warmup_.load(std::memory_order_relaxed) ? kWarmup : 0U;
    whole.flags |= static_cast<std::uint32_t>(index << kIndexShift);
    const auto interval = chain.interval_before(whole, index);
    if (whole.flags << (32 - kIndexShift) == 0 &&
        chain.section.breaks(Duration{whole.response_ns()}, interval)) {
      whole.flags |= kMissed;
      KeptMiss miss;
      miss.index = index;
      miss.start_ns = whole.start_ns;
      miss.value_ns = whole.response_ns();
      if (const auto* slowest = history_.slowest_of(record.origin_ns, record.origin_section))
        miss.slowest = *slowest;
      miss.finding.shares[static_cast<std::size_t>(Cause::late_trigger)] = miss.slowest.response_ns;
      miss.finding.shares[static_cast<std::size_t>(Cause::unknown)] =
          std::max<std::int64_t>(0, miss.value_ns - miss.slowest.response_ns);
      miss.finding.cause = miss.slowest.section != 0 ? Cause::late_trigger : Cause::unknown;
      chain.add_miss(miss);
    }
    chain.add(whole, index, worker);
  }
}

KeptMiss Fold::explain(const Pending& pending, SectionFold& fold, std::uint64_t index) noexcept {
  const auto& record = pending.record;
  const auto& options = fold.section.options();
  KeptMiss kept;
  kept.index = index;
  kept.start_ns = record.start_ns;
  kept.value_ns = record.response_ns();
  kept.origin_section = record.origin_section == fold.section.origin_id() ? 0 : record.origin_section;

  MissCase miss;
  miss.start_ns = record.start_ns;
  miss.finish_ns = record.finish_ns;
  const auto release_ns = record.start_ns - record.lateness_ns();  // on the monotonic clock
  miss.due_ns = std::min(release_ns, record.start_ns);
  if (options.rule == MissRule::interval) {
    const auto interval = fold.interval_before(record, index).value_or(Duration{});
    const auto expected = options.period > Duration::zero() ? options.period : fold.section.deadline();
    kept.value_ns = interval.count();
    miss.only_start = true;
    miss.due_ns = std::min(record.start_ns - interval.count() + expected.count(), record.start_ns);
  } else if (options.kind == SectionKind::subscription || fold.section.clock() == ClockKind::simulated) {
    // It could not start before its message, or the clock sample that made its slot due, had arrived.
    const auto arrival_ns = std::clamp(record.arrival_ns, miss.due_ns, record.start_ns);
    miss.late_trigger_ns = arrival_ns - miss.due_ns;
    miss.due_ns = arrival_ns;
  }
  kept.blocked = history_.blocked(miss.due_ns, miss.start_ns, pending.worker, options.group);
  miss.blocked_ns = kept.blocked.total_ns;
  miss.minor_fault_ns = minor_fault_ns_;
  miss.real_time = is_real_time(workers_[pending.worker].granted.scheduling);
  miss.rt_hole_ns = rt_hole_ns_;
  if (pending.evidence != kNone) {
    kept.evidence = evidence_[pending.evidence];
    kept.has_evidence = true;
    miss.evidence = &kept.evidence;
    const auto& e = kept.evidence;
    const auto awake_from = e.wake_ns != Evidence::kUnknown ? e.wake_ns : e.since_ns;
    miss.longest_before_ns = history_.longest_stretch(awake_from, miss.start_ns, pending.worker);
    miss.stolen_ns = steal_.stolen(kept.evidence.since_ns, kept.evidence.cpu, kept.evidence.stolen_ns);
    miss.throttled_ns = steal_.throttled(kept.evidence.since_ns, kept.evidence.throttled_ns);
  }
  kept.finding = classify(miss);
  return kept;
}

}  // namespace takt::timing
