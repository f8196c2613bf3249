// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "takt/timing/judge.hpp"

namespace takt::timing {

namespace {

std::string what_must_hold(const SectionOptions& options, Duration deadline, const ChainRule* rule) {
  if (deadline == kNoDeadline) return "no deadline";
  if (options.rule == MissRule::interval) {
    return fmt::format("interval (start - previous start) <= {} + {} jitter", in_words(deadline),
                       in_words(options.jitter));
  }
  if (rule != nullptr) {
    return fmt::format("latency (finish of {} - start of {}) <= {}", rule->to, rule->from,
                       in_words(deadline));
  }
  return fmt::format("response (finish - release) <= {}", in_words(deadline));
}

const char* policy_text(OverrunPolicy policy) {
  switch (policy) {
    case OverrunPolicy::skip:
      return "slots that have passed are dropped and counted, the phase is kept (skip policy)";
    case OverrunPolicy::catch_up:
      return "slots that have passed run back to back (catch_up policy)";
    case OverrunPolicy::re_anchor:
      return "slots that have passed are dropped and counted, the grid starts anew (re_anchor policy)";
  }
  return "?";
}

std::string tolerance_text(const Tolerance& tolerance) {
  if (tolerance.misses == 0) return "no miss tolerated";
  return fmt::format("at most {} in any {} activations tolerated",
                     counted(tolerance.misses, "miss", "misses"), tolerance.window);
}

std::string criticality_text(const SectionOptions& options) {
  switch (options.criticality) {
    case Criticality::soft:
      return {};
    case Criticality::firm:
      return "; firm: late results are suppressed";
    case Criticality::hard:
      return options.on_miss ? "; hard: the miss handler is called" : "; hard: the executor stops at a miss";
  }
  return {};
}

}  // namespace

std::string rule_text(const SectionOptions& options, Duration deadline, const ChainRule* rule) {
  auto text = what_must_hold(options, deadline, rule);
  if (options.period > Duration::zero()) {
    text += fmt::format("; every {}, {}", in_words(options.period), policy_text(options.overrun));
  }
  if (deadline != kNoDeadline) text += "; " + tolerance_text(options.tolerance) + criticality_text(options);
  if (options.warmup > 0) text += fmt::format("; the first {} are warm-up", options.warmup);
  if (options.clock == ClockKind::steady) return text + "; on the steady clock";
  return text +
         fmt::format("; lateness on the {} clock, execution on the monotonic one", to_string(options.clock));
}

}  // namespace takt::timing
