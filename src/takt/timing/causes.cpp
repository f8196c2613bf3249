// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/causes.hpp"

#include <algorithm>

namespace takt::timing {

namespace {

/// Takes up to `wanted` out of a pool.
std::int64_t take(std::int64_t& pool, std::int64_t wanted) noexcept {
  const auto taken = std::clamp<std::int64_t>(wanted, 0, std::max<std::int64_t>(pool, 0));
  pool -= taken;
  return taken;
}

/// The parts of a response that a cause must be found for.
struct Gaps {
  std::int64_t asleep = 0;    ///< due, but the thread was not running yet
  std::int64_t awake = 0;     ///< due and awake, and no activation covers it
  std::int64_t off_cpu = 0;   ///< within the execution, surely not on a CPU
  std::int64_t doubtful = 0;  ///< off the CPU within the execution or before the start: nobody can say
  std::int64_t on_cpu = 0;    ///< within the execution
};

Gaps gaps_of(const MissCase& miss, const Evidence& e) noexcept {
  Gaps gaps;
  auto late = std::max<std::int64_t>(0, miss.start_ns - miss.due_ns - miss.blocked_ns);
  const bool slept = e.wake_ns != Evidence::kUnknown;
  const auto awake_from = slept ? e.wake_ns : e.since_ns;
  if (slept) gaps.asleep = take(late, e.wake_ns - std::max(miss.due_ns, e.since_ns));
  gaps.awake = late;
  const auto execution = miss.finish_ns - miss.start_ns;
  const auto before = std::max<std::int64_t>(0, miss.start_ns - awake_from);
  const auto gone = std::max<std::int64_t>(0, execution + before - e.cpu_ns);
  // As many holes as context switches; those before the start each fit into one stretch.
  const std::int64_t switches = std::int64_t{e.voluntary} + e.involuntary;
  auto hidden = before;
  if (switches > 0) hidden = std::min(before, switches * std::min(before, miss.longest_before_ns));
  gaps.off_cpu = std::min(execution, std::max<std::int64_t>(0, gone - hidden));
  gaps.doubtful = std::min(execution, gone) - gaps.off_cpu;
  gaps.on_cpu = execution - gaps.off_cpu - gaps.doubtful;
  return gaps;
}

std::int64_t& share(Shares& shares, Cause cause) noexcept { return shares[static_cast<std::size_t>(cause)]; }

/// The kernel stops real-time threads for rt_hole out of each period; each stop shows as one long run-queue
/// delay. Only a CPU that they have kept busy is taken from them; else it is another thread that preempts.
bool looks_like_rt_throttling(const MissCase& miss, std::int64_t delay) noexcept {
  constexpr std::int64_t kShortest = 20'000'000;
  constexpr std::int64_t kPeriod = 1'000'000'000;
  if (!miss.real_time || miss.rt_hole_ns <= 0) return false;
  const auto& e = *miss.evidence;
  const auto holes = 1 + (miss.finish_ns - e.since_ns) / kPeriod;
  return delay > kShortest && delay <= holes * miss.rt_hole_ns * 3 / 2 && e.busy_ns >= e.busy_over_ns * 4 / 5;
}

void explain(const MissCase& miss, const Evidence& e, Finding& finding) noexcept {
  auto& s = finding.shares;
  auto gaps = gaps_of(miss, e);
  if (miss.only_start) gaps.off_cpu = gaps.doubtful = gaps.on_cpu = 0;

  // Run queue: inside the execution only a thread that lost its CPU or gave it up can have waited for one.
  auto delay = std::max<std::int64_t>(0, e.delay_ns);
  std::int64_t preempted = 0;
  if (e.involuntary > 0) preempted = take(delay, gaps.off_cpu);
  auto queued = take(delay, gaps.asleep);
  gaps.asleep -= queued;
  const auto queued_awake = take(delay, gaps.awake);
  gaps.awake -= queued_awake;
  gaps.off_cpu -= preempted;
  auto queued_inside = e.voluntary > 0 ? take(delay, gaps.off_cpu) : 0;
  gaps.off_cpu -= queued_inside;
  queued += queued_awake + queued_inside;

  // Throttling is a reason for waiting on the run queue; newer kernels take a throttled thread off it.
  auto throttled = miss.throttled_ns;
  auto& by_quota = share(s, Cause::throttled);
  for (auto* part : {&preempted, &queued, &gaps.off_cpu, &gaps.asleep, &gaps.awake}) {
    const auto taken = take(throttled, *part);
    *part -= taken;
    by_quota += taken;
  }
  if (looks_like_rt_throttling(miss, preempted + queued)) {
    finding.rt_throttled = true;
    by_quota += preempted + queued;
    preempted = queued = 0;
  }
  share(s, Cause::preempted) = preempted;
  share(s, Cause::runqueue) = queued;

  // Faults: one that waits for input gives the CPU up itself; one that does not costs time on it.
  auto& faults = share(s, Cause::page_fault);
  faults = take(gaps.on_cpu, e.minor_faults * miss.minor_fault_ns);
  if (e.major_faults > 0 && e.voluntary <= e.major_faults) faults += take(gaps.off_cpu, gaps.off_cpu);

  // Off the CPU, yet neither queued nor given up: the hypervisor had it.
  auto& stolen = share(s, Cause::stolen);
  auto steal = miss.stolen_ns;
  stolen = e.voluntary == 0 ? take(gaps.off_cpu, gaps.off_cpu) : take(gaps.off_cpu, steal);
  steal -= stolen;
  const auto stolen_asleep = take(gaps.asleep, steal);
  stolen += stolen_asleep;
  share(s, Cause::interrupt) = gaps.asleep;
  share(s, Cause::own_off_cpu) = gaps.off_cpu;
  share(s, Cause::own_cpu) = gaps.on_cpu;
  share(s, Cause::unknown) = gaps.awake + gaps.doubtful;
}

}  // namespace

Cause largest(const Shares& shares) noexcept {
  constexpr std::array kPrecedence{Cause::throttled,   Cause::blocked_by,   Cause::preempted,
                                   Cause::runqueue,    Cause::page_fault,   Cause::stolen,
                                   Cause::interrupt,   Cause::late_trigger, Cause::own_cpu,
                                   Cause::own_off_cpu, Cause::clock_jumped, Cause::clock_stopped};
  auto found = Cause::unknown;
  std::int64_t most = 0;
  for (const auto cause : kPrecedence) {
    const auto value = shares[static_cast<std::size_t>(cause)];
    if (value > most) {
      most = value;
      found = cause;
    }
  }
  return shares[static_cast<std::size_t>(Cause::unknown)] > most ? Cause::unknown : found;
}

Finding classify(const MissCase& miss) noexcept {
  Finding finding;
  share(finding.shares, Cause::late_trigger) = std::max<std::int64_t>(0, miss.late_trigger_ns);
  share(finding.shares, Cause::blocked_by) = std::max<std::int64_t>(0, miss.blocked_ns);
  if (miss.evidence != nullptr) {
    explain(miss, *miss.evidence, finding);
  } else {
    share(finding.shares, Cause::unknown) =
        std::max<std::int64_t>(0, miss.start_ns - miss.due_ns - miss.blocked_ns) +
        (miss.only_start ? 0 : miss.finish_ns - miss.start_ns);
  }
  finding.cause = largest(finding.shares);
  return finding;
}

}  // namespace takt::timing
