// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/run.hpp"

#include <algorithm>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/deadlines/control_node.hpp"
#include "lab/deadlines/sim_time.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/takt.hpp"

namespace takt::lab::deadlines {
namespace {

constexpr const char* kClockDied = "the clock process ended";

ExecutorOptions executor_options(const RunSetup& setup, std::shared_ptr<Context> context) {
  ExecutorOptions options;
  options.scheduling = setup.scheduling;
  options.threads = setup.threads;
  options.lock_memory = is_real_time(setup.scheduling);
  options.name = "control";
  options.context = std::move(context);
  return options;
}

InitOptions init_options(const RunSetup& setup, const ClockProcess* clock) {
  InitOptions options;
  options.handle_signals = false;                // Interrupt does
  options.verdict = timing::VerdictFormat::off;  // the report shows it
  options.clock = setup.clock;
  options.last_misses = static_cast<std::uint32_t>(setup.length / kPeriod) + 1;  // each with its cause
  options.discovery = DiscoveryRange::off;
  if (clock == nullptr) return options;
  options.discovery = DiscoveryRange::localhost;  // the clock process alone is there
  options.shm_folder = clock->shm_folder();
  options.domain_id = 0;
  return options;
}

/// Spins for the phase, and writes down what happened meanwhile.
void spin(Executor& executor, ControlNode& node, ClockProcess* clock, const RunSetup& setup,
          PhaseResult& result) {
  const auto& context = node.context();
  ThrottleLog throttle(setup.group);
  const EnvironmentProbe probe;
  const OnInterrupt ends_early([&context] { context->shutdown("ended by the user"); });
  if (clock != nullptr) clock->on_death([context = node.context()] { context->shutdown(kClockDied); });
  node.begin(setup.length);
  const SteadyTime begin = SteadyClock::instance()->steady_now();
  executor.spin();
  result.length = SteadyClock::instance()->steady_now() - begin;
  result.environment = probe.finish();
  result.quota = throttle.finish();
  result.throttled = throttled_stretches(result.quota);
}

/// What the clock process says, once it has been ended.
void take_log(ClockProcess& clock, PhaseResult& result) {
  result.clock_text = clock.log_text();
  result.not_measured = clock.fault();
  if (!result.not_measured.empty()) return;
  result.clock = read_clock_log(result.clock_text);
  if (!result.clock.end) throw CannotMeasure("the clock's log has no end");
  if (result.rows.size() < kFewestRows) return;
  result.rtf = rtf_between(result.clock.samples, result.rows[1].wall_start, result.rows.back().wall_start);
}

void judge(const ControlNode& node, PhaseResult& result) {
  if (result.interrupted && result.rows.size() < kFewestRows) {
    result.not_measured = "ended by the user before enough callbacks had run";
    return;
  }
  result.counts = count(result.rows);
  result.verdict = node.context()->monitor().verdict(node.section());
  result.misses = causes_of(result.counts, result.verdict);
}

}  // namespace

PhaseResult run_phase(const Phase& phase, const RunSetup& setup) {
  PhaseResult result{.phase = phase};
  std::optional<ClockProcess> clock;
  if (phase.simulated()) clock.emplace(setup.clock_program, phase.target_rtf);
  ClockProcess* const process = clock ? &*clock : nullptr;
  const auto context = Context::make(init_options(setup, process));
  const auto node = std::make_shared<ControlNode>(phase, node_options(phase, setup, context));
  Executor executor(executor_options(setup, context));
  executor.add_node(node);
  if (process != nullptr) {
    result.first_clock_wait_s = wait_for_clock(executor, *node, *process, setup.clock_patience);
    if (!result.first_clock_wait_s) {
      result.interrupted = true;
      result.not_measured = "ended by the user before the clock had started";
      return result;
    }
  }
  spin(executor, *node, process, setup, result);
  result.rows = node->rows();
  const auto reason = context->shutdown_reason();
  result.interrupted = reason != ControlNode::kOver && reason != kClockDied;
  if (process != nullptr) {
    process->stop();
    take_log(*process, result);
    if (!result.measured()) return result;
  }
  judge(*node, result);
  return result;
}

std::vector<CausedMiss> causes_of(const Counts& counts, const timing::Verdict& verdict) {
  std::vector<CausedMiss> misses;
  for (const Counted& kept : counts.kept) {
    if (!kept.missed) continue;
    CausedMiss miss{
        .activation = kept.row + 1,
        .at_s = kept.at_s,
        .response_ms = kept.response_ms,
        .injected = kept.injected,
        .detail = "on the timer's true grid this activation met its deadline, or its miss is no longer kept"};
    const auto known = std::find_if(verdict.last_misses.begin(), verdict.last_misses.end(),
                                    [&](const timing::Miss& m) { return m.index == miss.activation; });
    if (known != verdict.last_misses.end()) {
      miss.cause = known->cause;
      miss.detail = known->detail;
    }
    misses.push_back(std::move(miss));
  }
  return misses;
}

std::size_t with_cause(const std::vector<CausedMiss>& misses, timing::Cause cause) {
  return static_cast<std::size_t>(std::count_if(
      misses.begin(), misses.end(), [cause](const CausedMiss& miss) { return miss.cause == cause; }));
}

std::string words_of(timing::Cause cause) {
  if (cause == timing::Cause::blocked_by) return "blocked by the activation before";
  if (cause == timing::Cause::unknown) return "without a known cause";
  const std::string words = timing::words(cause);
  return words.substr(0, words.find(" ("));  // without the explanation in brackets
}

}  // namespace takt::lab::deadlines
