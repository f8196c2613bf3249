// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace takt::timing {

namespace {

Distribution distribution_of(const Histogram& h, std::int64_t first_start_ns) {
  Distribution d;
  d.count = h.count();
  if (d.count == 0) return d;
  d.mean_ns = h.mean_ns();
  d.min = h.min();
  d.p50 = h.percentile(0.5);
  d.p90 = h.percentile(0.9);
  d.p99 = h.percentile(0.99);
  d.p999 = h.percentile(0.999);
  d.max = h.max();
  d.max_index = h.max_index();
  d.max_at = Duration{h.max_at().time_since_epoch().count() - first_start_ns};
  return d;
}

/// Chains are not recorded by a thread of their own: nothing is said about theirs.
void add_scheduling(Verdict& verdict, const Fold& fold, const SectionFold& folded) {
  const auto text = [](const ThreadState& s) {
    return fmt::format("{} {}", to_string(s.scheduling), fmt::join(s.cpus, ","));
  };
  for (std::uint32_t i = 0; i < folded.worker_count; ++i) {
    const auto& worker = fold.workers()[folded.workers[i]];
    if (i == 0) {
      verdict.asked = worker.asked;
      verdict.granted = worker.granted;
      continue;
    }
    const auto same = [&](const ThreadState& s) {
      return text(s) == text(worker.granted) && s.refused == worker.granted.refused;
    };
    if (!same(verdict.granted) &&
        std::none_of(verdict.also_granted.begin(), verdict.also_granted.end(), same)) {
      verdict.also_granted.push_back(worker.granted);
    }
  }
}

void add_misses(Verdict& verdict, const Fold& fold, const SectionFold& folded, const NameOf& name_of) {
  folded.for_each_miss([&](const KeptMiss& kept) {
    verdict.last_misses.push_back({kept.index, Duration{kept.start_ns - fold.first_start_ns()},
                                   Duration{kept.value_ns}, kept.finding.cause,
                                   describe(kept, folded, name_of)});
  });
}

std::string why_not_judged(const Verdict& v, const ChainRule* rule) {
  if (v.deadline == kNoDeadline) return "no deadline was given";
  if (v.judged > 0) return {};
  if (v.warmup > 0) return "only " + counted(v.warmup, "warm-up activation", "warm-up activations") + " ran";
  if (rule != nullptr && v.lost_origins > 0) {
    return "the origin was lost in all " + counted(v.lost_origins, "activation", "activations") +
           " at its end";
  }
  if (v.clock_state == ClockState::not_started) return "simulated time has not started: no /clock came";
  if (v.excluded_not_started > 0 && v.excluded_paused + v.excluded_jumped == 0)
    return "the clock never started";
  if (v.excluded_not_started + v.excluded_paused + v.excluded_jumped > 0) {
    return "every activation was excluded: the clock had not started, was paused or jumped";
  }
  if (rule != nullptr && !rule->begins_here) {
    return "no section is named '" + rule->from + "', where it begins";
  }
  return "no activations";
}

std::string why_missed(const Verdict& v, const SectionFold& folded, std::uint64_t unplaced) {
  const auto& tolerance = v.options.tolerance;
  std::string why;
  if (folded.intolerable > 0 || unplaced > 0) {
    why = counted(v.misses, "miss", "misses") + " in " + counted(v.judged, "activation", "activations");
    if (tolerance.misses > 0) {
      why += fmt::format(", more than {} of them in {} consecutive activations", tolerance.misses,
                         tolerance.window);
      if (folded.intolerable == 0) why += fmt::format(" at worst: {} of them were not recorded", unplaced);
    }
  }
  if (v.skips > 0) why += (why.empty() ? "" : ", ") + counted(v.skips, "skipped slot", "skipped slots");
  return why;
}

void conclude(Verdict& v, const SectionFold& folded, const ChainRule* rule, std::uint64_t unplaced) {
  v.reason = why_not_judged(v, rule);
  if (!v.reason.empty()) return;
  v.reason = why_missed(v, folded, unplaced);
  v.judgement = v.reason.empty() ? Judgement::met : Judgement::missed;
}

}  // namespace

Verdict judge(const Fold& fold, const SectionFold& folded, const ChainRule* rule, const NameOf& name_of) {
  const auto& section = folded.section;
  const auto lost = section.not_recorded();
  Verdict v;
  v.options = section.options();
  v.name = v.options.name;
  v.node = v.options.node;
  v.kind = v.options.kind;
  v.clock = v.options.clock = section.clock();
  v.clock_state = section.clock_state();
  v.deadline = section.deadline();
  v.rule_text = rule_text(v.options, v.deadline, rule);
  v.not_recorded = lost.activations;
  v.activations = folded.activations + lost.activations;
  v.warmup = folded.warmup;
  v.judged = folded.judged + lost.activations;
  v.misses = folded.misses + lost.misses;
  v.skips = folded.skips + lost.skips;
  v.longest_miss_run = folded.longest_run;
  const auto excluded = section.excluded();
  v.excluded_not_started = excluded.not_started;
  v.excluded_paused = excluded.paused;
  v.excluded_jumped = excluded.jumped;
  v.suppressed = section.suppressed();
  v.lost_origins = section.lost_origins();
  v.lateness = distribution_of(folded.lateness, fold.first_start_ns());
  v.execution = distribution_of(folded.execution, fold.first_start_ns());
  v.response = distribution_of(folded.response, fold.first_start_ns());
  v.interval = distribution_of(folded.interval, fold.first_start_ns());
  if (folded.wake_latency) v.wake_latency = distribution_of(*folded.wake_latency, fold.first_start_ns());
  v.causes = folded.causes;
  add_scheduling(v, fold, folded);
  add_misses(v, fold, folded, name_of);
  conclude(v, folded, rule, lost.misses);
  return v;
}

}  // namespace takt::timing
