// SPDX-License-Identifier: Apache-2.0
// docs/formats/verdict.schema.json specifies what this writes.
#include <nlohmann/json.hpp>

#include "takt/timing/verdict.hpp"

namespace takt::timing {

namespace {

using nlohmann::json;

json ms_or_null(Duration d) { return d == kNoDeadline ? json(nullptr) : json(to_ms(d)); }

const char* key(SectionKind kind) {
  switch (kind) {
    case SectionKind::timer:
      return "timer";
    case SectionKind::subscription:
      return "subscription";
    case SectionKind::chain:
      return "chain";
    case SectionKind::section:
      return "section";
    case SectionKind::event:
      return "event";
  }
  return "?";
}

const char* key(ClockState state) {
  switch (state) {
    case ClockState::runs:
      return "runs";
    case ClockState::not_started:
      return "not_started";
    case ClockState::stands:
      return "stands";
  }
  return "?";
}

const char* key(Judgement judgement) {
  switch (judgement) {
    case Judgement::met:
      return "MET";
    case Judgement::missed:
      return "MISSED";
    case Judgement::not_judged:
      return "NOT_JUDGED";
  }
  return "?";
}

json distribution_ms(const Distribution& d) {
  return {{"count", d.count},    {"mean", d.mean_ns * 1e-6}, {"p50", to_ms(d.p50)},
          {"p90", to_ms(d.p90)}, {"p99", to_ms(d.p99)},      {"p999", to_ms(d.p999)},
          {"max", to_ms(d.max)}, {"max_index", d.max_index}, {"max_at_s", to_seconds(d.max_at)}};
}

struct Policy {
  const char* name;
  json priority;
};

Policy policy_of(const Scheduling& scheduling) {
  struct {
    Policy operator()(const Inherit&) const { return {"inherit", nullptr}; }
    Policy operator()(const Other& o) const { return {"other", o.nice}; }
    Policy operator()(const Fifo& f) const { return {"fifo", f.priority}; }
    Policy operator()(const RoundRobin& r) const { return {"rr", r.priority}; }
    Policy operator()(const DeadlineScheduling&) const { return {"deadline", nullptr}; }
  } name;
  return std::visit(name, scheduling);
}

json scheduling_json(const Scheduling& scheduling, const std::vector<int>& cpus) {
  auto policy = policy_of(scheduling);
  return {{"policy", policy.name}, {"priority", std::move(policy.priority)}, {"cpus", cpus}};
}

json granted_json(const ThreadState& state) {
  auto granted = scheduling_json(state.scheduling, state.cpus);
  granted["refused"] = state.refused;
  return granted;
}

json scheduling_of(const Verdict& v) {
  json scheduling{{"asked", scheduling_json(v.asked.scheduling, v.asked.cpus)},
                  {"granted", granted_json(v.granted)}};
  scheduling["also_granted"] = json::array();
  for (const auto& state : v.also_granted) scheduling["also_granted"].push_back(granted_json(state));
  return scheduling;
}

json causes_of(const Verdict& v) {
  json causes = json::object();
  for (std::size_t i = 0; i < kCauses; ++i) causes[key(static_cast<Cause>(i))] = v.causes[i];
  return causes;
}

json last_misses_of(const Verdict& v) {
  json misses = json::array();
  for (const auto& m : v.last_misses) {
    misses.push_back({{"index", m.index},
                      {"at_s", to_seconds(m.at)},
                      {"response_ms", to_ms(m.response)},
                      {"cause", key(m.cause)},
                      {"detail", m.detail}});
  }
  return misses;
}

}  // namespace

json to_json(const Verdict& v) {
  return {{"name", v.name},
          {"kind", key(v.kind)},
          {"node", v.node},
          {"clock", to_string(v.clock)},
          {"clock_state", key(v.clock_state)},
          {"verdict", key(v.judgement)},
          {"reason", v.reason},
          {"rule", to_string(v.options.rule)},
          {"rule_text", v.rule_text},
          {"deadline_ms", ms_or_null(v.deadline)},
          {"period_ms", v.options.period > Duration::zero() ? json(to_ms(v.options.period)) : json(nullptr)},
          {"jitter_ms", to_ms(v.options.jitter)},
          {"tolerance", {{"m", v.options.tolerance.misses}, {"k", v.options.tolerance.window}}},
          {"criticality", to_string(v.options.criticality)},
          {"overrun_policy",
           v.options.kind == SectionKind::timer ? json(to_string(v.options.overrun)) : json(nullptr)},
          {"scheduling", scheduling_of(v)},
          {"warmup", v.warmup},
          {"activations", v.activations},
          {"judged", v.judged},
          {"misses", v.misses},
          {"skips", v.skips},
          {"longest_miss_run", v.longest_miss_run},
          {"suppressed", v.suppressed},
          {"not_recorded", v.not_recorded},
          {"lost_origins", v.lost_origins},
          {"excluded",
           {{"not_started", v.excluded_not_started},
            {"paused", v.excluded_paused},
            {"jumped", v.excluded_jumped}}},
          {"lateness_ms", distribution_ms(v.lateness)},
          {"execution_ms", distribution_ms(v.execution)},
          {"response_ms", distribution_ms(v.response)},
          {"interval_ms", distribution_ms(v.interval)},
          {"wake_latency_ms", v.wake_latency.count > 0 ? distribution_ms(v.wake_latency) : json(nullptr)},
          {"causes", causes_of(v)},
          {"last_misses", last_misses_of(v)},
          {"recording_ns", v.recording_ns}};
}

}  // namespace takt::timing
