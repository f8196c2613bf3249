// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/run.hpp"

#include <algorithm>

#include "lab/common/interrupt.hpp"
#include "lab/deadlines/control_node.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/takt.hpp"

namespace takt::lab::deadlines {
namespace {

ExecutorOptions executor_options(const RunSetup& setup, std::shared_ptr<Context> context) {
  ExecutorOptions options;
  options.scheduling = setup.scheduling;
  options.threads = setup.threads;
  options.lock_memory = is_real_time(setup.scheduling);
  options.name = "control";
  options.context = std::move(context);
  return options;
}

}  // namespace

PhaseResult run_phase(const Phase& phase, const RunSetup& setup) {
  InitOptions init;
  init.handle_signals = false;                // Interrupt does
  init.verdict = timing::VerdictFormat::off;  // the report shows it
  init.clock = setup.clock;
  init.last_misses = static_cast<std::uint32_t>(setup.length / kPeriod) + 1;  // each with its cause
  const auto context = Context::make(init);
  const auto node = std::make_shared<ControlNode>(context, phase, setup.length);
  Executor executor(executor_options(setup, context));
  executor.add_node(node);

  PhaseResult result{.phase = phase};
  {
    const EnvironmentProbe probe;
    const OnInterrupt ends_early([&context] { context->shutdown("ended by the user"); });
    const SteadyTime begin = SteadyClock::instance()->steady_now();
    executor.spin();
    result.length = SteadyClock::instance()->steady_now() - begin;
    result.environment = probe.finish();
  }
  result.rows = node->rows();
  result.interrupted = context->shutdown_reason() != ControlNode::kOver;
  if (result.interrupted && result.rows.size() < kFewestRows) {
    result.not_measured = "ended by the user before enough callbacks had run";
    return result;
  }
  result.counts = count(result.rows);
  result.verdict = context->monitor().verdict(node->section());
  result.misses = causes_of(result.counts, result.verdict);
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
