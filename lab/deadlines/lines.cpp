// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/lines.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "lab/deadlines/rounding.hpp"
#include "takt/core/version.hpp"

namespace takt::lab::deadlines {
namespace {

using Json = nlohmann::ordered_json;

Json rounded_or_null(std::optional<double> value) { return value ? Json(rounded(*value)) : Json(nullptr); }

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

/// What the published lines of the simulated phases have as well.
void add_clock_fields(Json& line, const PhaseResult& result) {
  const auto& rtf = result.rtf;
  const auto factor = [&rtf](double Rtf::*value) {
    return rtf ? Json(rounded((*rtf).*value, 4)) : Json(nullptr);
  };
  line["first_clock_wait_s"] = rounded_or_null(result.first_clock_wait_s);
  line["rtf_seen_by_control_node"] = rounded(result.counts.node_rtf, 4);
  line["rtf_clock_publisher"] = factor(&Rtf::whole);
  line["rtf_clock_publisher_100ms_min"] = factor(&Rtf::least);
  line["rtf_clock_publisher_100ms_max"] = factor(&Rtf::most);
  line["rtf_windows"] = rtf ? rtf->windows.size() : 0;
}

/// The published fields.
Json counts_line(const PhaseResult& result) {
  const Counts& counts = result.counts;
  const Rules rules;
  const bool inject = result.phase.inject;
  const bool simulated = result.phase.simulated();
  return {
      {"phase", result.phase.name},
      {"timer_clock", simulated ? "ros_time(use_sim_time)" : "steady"},
      {"target_rtf", simulated ? Json(result.phase.target_rtf) : Json(nullptr)},
      {"inject_ms", inject ? to_ms(kInjectedSleep) : 0.0},
      {"inject_every", inject ? Json(kInjectEvery) : Json(nullptr)},
      {"period_ms", to_ms(rules.period)},
      {"callbacks", counts.callbacks},
      {"grid_periods_spanned", counts.grid_periods_spanned},
      {"skipped_periods", counts.skipped_periods},
      {"injected", counts.injected},
      {"interval_wall_ms",
       {{"mean", rounded(counts.interval_wall.mean_ms)},
        {"min", rounded(counts.interval_wall.min_ms)},
        {"p99", rounded(counts.interval_wall.p99_ms)},
        {"max", rounded(counts.interval_wall.max_ms)}}},
      {"max_wall_interval_at_s", rounded(counts.max_wall_interval_at_s)},
      {"interval_timer_clock_ms",
       {{"mean", rounded(counts.interval_timer.mean_ms)}, {"max", rounded(counts.interval_timer.max_ms)}}},
      {"start_lateness_ms",
       {{"mean", rounded(counts.start_lateness.mean_ms)}, {"max", rounded(counts.start_lateness.max_ms)}}},
      {"response_ms_max", rounded(counts.response_max_ms)},
      {"deadline_ms", to_ms(rules.deadline)},
      {"deadline_misses", counts.deadline_misses},
      {"wall_intervals_over_period", counts.intervals_over_period},
      {"wall_intervals_over_period_plus_jitter", counts.intervals_over_period_plus_jitter},
      {"jitter_tolerance_ms", to_ms(rules.jitter)},
      {"max_wall_interval_minus_deadline_ms", rounded(counts.max_wall_interval_minus_deadline_ms)},
      {"wall_intervals_over_budget", counts.intervals_over_budget},
      {"wall_budget_ms", to_ms(rules.wall_budget)},
      {"exec_timer_clock_ms_max_injected", rounded_or_null(counts.execution_timer_max_injected_ms)},
      {"exec_wall_ms_max_injected", rounded_or_null(counts.execution_wall_max_injected_ms)},
      {"cgroup_cpu_delta", cpu_counters(result.environment.cgroup)}};
}

}  // namespace

Json environment_line(const RunSetup& setup) {
  utsname names{};
  uname(&names);
  return {{"phase", "environment"},
          {"kernel", names.release},
          {"kernel_version", names.version},
          {"python", nullptr},
          {"cpus_visible", std::thread::hardware_concurrency()},
          {"rmw", "takt_shm"},
          {"discovery_range", environment_variable("ROS_AUTOMATIC_DISCOVERY_RANGE", "unset")},
          {"takt", fmt::format("{} ({})", version(), commit())},
          {"compiler", std::string(compiler())},
          {"scheduling", to_string(setup.scheduling)},
          {"threads", setup.threads},
          {"keep_awake", setup.keep_awake},
          {"clock_thread", setup.shared_clock_thread ? "shared" : "own"},
          {"limits", setup.limits.empty() ? Json(nullptr) : Json(setup.limits)},
          {"hog", setup.hog}};
}

Json phase_line(const PhaseResult& result) {
  if (!result.measured()) {
    return {{"phase", result.phase.name}, {"partial", true}, {"not_measured", result.not_measured}};
  }
  Json line = counts_line(result);
  if (result.phase.simulated()) add_clock_fields(line, result);
  if (result.interrupted) line["partial"] = true;
  return line;
}

Json done_line(Duration total, const std::string& verdict, const std::string& results, bool partial) {
  Json line{{"phase", "done"},
            {"total_wall_s", rounded(to_seconds(total), 2)},
            {"verdict", verdict},
            {"results", results}};
  if (partial) line["partial"] = true;
  return line;
}

}  // namespace takt::lab::deadlines
