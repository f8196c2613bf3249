// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "takt/timing/judge.hpp"

namespace takt::timing {

namespace {

std::string short_words(std::int64_t ns) { return in_words(Duration{ns}, 3); }

std::string blockers(const KeptMiss& miss, SectionId own, const NameOf& name_of) {
  std::string text;
  std::int64_t named = 0;
  for (const auto& b : miss.blocked.most) {
    if (b.section == 0) continue;
    named += b.ns;
    text += fmt::format("{}blocked by {} {}{} for {}", text.empty() ? "" : ", ", name_of(b.section), b.index,
                        b.section == own ? " (its own activation before)" : "", short_words(b.ns));
  }
  if (miss.blocked.total_ns > named) text += ", by others for " + short_words(miss.blocked.total_ns - named);
  return text;
}

std::string rt_runtime() {
  std::ifstream file("/proc/sys/kernel/sched_rt_runtime_us");
  std::string value;
  file >> value;
  return value;
}

std::string upstream(const KeptMiss& miss, const NameOf& name_of) {
  if (miss.slowest.section != 0) {  // a chain
    const auto& p = miss.slowest;
    return fmt::format("slowest in the chain: {} {} took {} ({} late, {} execution)", name_of(p.section),
                       p.index, short_words(p.response_ns), short_words(p.lateness_ns),
                       short_words(p.finish_ns - p.start_ns));
  }
  const auto ns = miss.finding.shares[static_cast<std::size_t>(Cause::late_trigger)];
  auto text = fmt::format("{} {} after its release", words(Cause::late_trigger), short_words(ns));
  if (miss.origin_section != 0) text += " (it began in " + name_of(miss.origin_section) + ")";
  return text;
}

std::string share_text(const KeptMiss& miss, Cause cause, SectionId own, const NameOf& name_of) {
  const auto time = short_words(miss.finding.shares[static_cast<std::size_t>(cause)]);
  if (cause == Cause::blocked_by) return blockers(miss, own, name_of);
  if (cause == Cause::late_trigger) return upstream(miss, name_of);
  if (cause == Cause::throttled && miss.finding.rt_throttled) {
    return fmt::format("RT throttling (sched_rt_runtime_us = {}) {}", rt_runtime(), time);
  }
  if (cause == Cause::throttled) return "throttled by the CPU quota " + time;
  return fmt::format("{} {}", words(cause), time);
}

std::string counters(const KeptMiss& miss) {
  const auto& e = miss.evidence;
  auto text = fmt::format("since the last snapshot {} before: {} voluntary and {} involuntary switches",
                          short_words(miss.start_ns - e.since_ns), e.voluntary, e.involuntary);
  if (e.minor_faults + e.major_faults > 0) {
    text += fmt::format(", {} minor and {} major page faults", e.minor_faults, e.major_faults);
  }
  return text;
}

}  // namespace

std::string describe(const KeptMiss& miss, const SectionFold& folded, const NameOf& name_of) {
  const auto& shares = miss.finding.shares;
  std::vector<Cause> order;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < kCauses; ++i) total += shares[i];
  for (std::size_t i = 0; i < kCauses; ++i) {
    if (shares[i] * 100 > total) order.push_back(static_cast<Cause>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](Cause a, Cause b) {
    if ((a == miss.finding.cause) != (b == miss.finding.cause)) return a == miss.finding.cause;
    return shares[static_cast<std::size_t>(a)] > shares[static_cast<std::size_t>(b)];
  });
  std::string text;
  for (const auto cause : order) {
    text += (text.empty() ? "" : ", ") + share_text(miss, cause, folded.section.id(), name_of);
  }
  if (miss.has_evidence) text += "; " + counters(miss);
  return text;
}

}  // namespace takt::timing
