// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/lines.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "takt/core/version.hpp"

namespace takt::lab::deadlines {
namespace {

using Json = nlohmann::ordered_json;

double round3(double value) { return std::nearbyint(value * 1000) / 1000; }

Json round3(std::optional<double> value) { return value ? Json(round3(*value)) : Json(nullptr); }

Json cpu_counters(const std::optional<CgroupUsage>& usage) {
  if (!usage) return nullptr;
  return {{"nr_periods", usage->nr_periods},
          {"nr_throttled", usage->nr_throttled},
          {"throttled_usec", std::llround(usage->throttled_usec)},
          {"usage_usec", std::llround(usage->usage_usec)}};
}

std::string environment_variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets a variable
  return value != nullptr ? value : otherwise;
}

Json causes_document(const PhaseResult& result) {
  auto causes = Json::object();
  for (std::size_t i = 0; i < timing::kCauses; ++i) {
    const auto cause = static_cast<timing::Cause>(i);
    if (const auto n = with_cause(result.misses, cause); n > 0) causes[timing::key(cause)] = n;
  }
  return causes;
}

Json misses_document(const PhaseResult& result) {
  auto misses = Json::array();
  for (const auto& miss : result.misses) {
    misses.push_back({{"index", miss.activation},
                      {"at_s", round3(miss.at_s)},
                      {"response_ms", round3(miss.response_ms)},
                      {"injected", miss.injected},
                      {"cause", timing::key(miss.cause)},
                      {"detail", miss.detail}});
  }
  return misses;
}

/// The published fields.
Json counts_line(const PhaseResult& result) {
  const Counts& counts = result.counts;
  const Rules rules;
  const bool inject = result.phase.inject;
  return {{"phase", result.phase.name},
          {"timer_clock", "steady"},
          {"target_rtf", nullptr},
          {"inject_ms", inject ? to_ms(kInjectedSleep) : 0.0},
          {"inject_every", inject ? Json(kInjectEvery) : Json(nullptr)},
          {"period_ms", to_ms(rules.period)},
          {"callbacks", counts.callbacks},
          {"grid_periods_spanned", counts.grid_periods_spanned},
          {"skipped_periods", counts.skipped_periods},
          {"injected", counts.injected},
          {"interval_wall_ms",
           {{"mean", round3(counts.interval_wall.mean_ms)},
            {"min", round3(counts.interval_wall.min_ms)},
            {"p99", round3(counts.interval_wall.p99_ms)},
            {"max", round3(counts.interval_wall.max_ms)}}},
          {"max_wall_interval_at_s", round3(counts.max_wall_interval_at_s)},
          {"interval_timer_clock_ms",
           {{"mean", round3(counts.interval_timer.mean_ms)}, {"max", round3(counts.interval_timer.max_ms)}}},
          {"start_lateness_ms",
           {{"mean", round3(counts.start_lateness.mean_ms)}, {"max", round3(counts.start_lateness.max_ms)}}},
          {"response_ms_max", round3(counts.response_max_ms)},
          {"deadline_ms", to_ms(rules.deadline)},
          {"deadline_misses", counts.deadline_misses},
          {"wall_intervals_over_period", counts.intervals_over_period},
          {"wall_intervals_over_period_plus_jitter", counts.intervals_over_period_plus_jitter},
          {"jitter_tolerance_ms", to_ms(rules.jitter)},
          {"max_wall_interval_minus_deadline_ms", round3(counts.max_wall_interval_minus_deadline_ms)},
          {"wall_intervals_over_budget", counts.intervals_over_budget},
          {"wall_budget_ms", to_ms(rules.wall_budget)},
          {"exec_timer_clock_ms_max_injected", round3(counts.execution_timer_max_injected_ms)},
          {"exec_wall_ms_max_injected", round3(counts.execution_wall_max_injected_ms)},
          {"cgroup_cpu_delta", cpu_counters(result.environment.cgroup)}};
}

}  // namespace

Json environment_line(const RunSetup& setup, bool keep_awake) {
  utsname names{};
  uname(&names);
  return {{"phase", "environment"},
          {"kernel", names.release},
          {"kernel_version", names.version},
          {"python", nullptr},
          {"cpus_visible", std::thread::hardware_concurrency()},
          {"rmw", "none"},
          {"discovery_range", environment_variable("ROS_AUTOMATIC_DISCOVERY_RANGE", "unset")},
          {"takt", fmt::format("{} ({})", version(), commit())},
          {"compiler", std::string(compiler())},
          {"scheduling", to_string(setup.scheduling)},
          {"threads", setup.threads},
          {"keep_awake", keep_awake}};
}

Json phase_line(const PhaseResult& result) {
  if (!result.measured()) {
    return {{"phase", result.phase.name}, {"partial", true}, {"not_measured", result.not_measured}};
  }
  Json line = counts_line(result);
  if (result.interrupted) line["partial"] = true;
  return line;
}

Json done_line(Duration total, const std::string& verdict, const std::string& results, bool partial) {
  Json line{{"phase", "done"},
            {"total_wall_s", std::nearbyint(to_seconds(total) * 100) / 100},
            {"verdict", verdict},
            {"results", results}};
  if (partial) line["partial"] = true;
  return line;
}

Json phase_document(const PhaseResult& result) {
  Json document = phase_line(result);
  if (!result.measured()) return document;
  document["steal_pct"] = result.environment.steal_pct;
  document["interrupted"] = result.interrupted;
  document["causes"] = causes_document(result);
  document["misses"] = misses_document(result);
  document["verdicts"] = Json::array({Json(timing::to_json(result.verdict))});
  return document;
}

}  // namespace takt::lab::deadlines
