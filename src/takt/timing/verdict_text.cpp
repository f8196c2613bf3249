// SPDX-License-Identifier: Apache-2.0
// One block of lines per verdict, worst first, never wider than 100 columns.
#include <fmt/format.h>

#include <algorithm>

#include "takt/timing/paragraph.hpp"
#include "takt/timing/verdict.hpp"
#include "takt/timing/words.hpp"

namespace takt::timing {

namespace {

constexpr std::size_t kMissesShown = 3;

const char* title(Judgement judgement) {
  switch (judgement) {
    case Judgement::met:
      return "MET";
    case Judgement::missed:
      return "MISSED";
    case Judgement::not_judged:
      return "NOT JUDGED";
  }
  return "?";
}

/// The smaller the worse.
int rank(Judgement judgement) {
  switch (judgement) {
    case Judgement::missed:
      return 0;
    case Judgement::not_judged:
      return 1;
    case Judgement::met:
      return 2;
  }
  return 3;
}

bool worse(const Verdict* a, const Verdict* b) {
  if (a->judgement != b->judgement) return rank(a->judgement) < rank(b->judgement);
  if (a->misses != b->misses) return a->misses > b->misses;
  return a->skips > b->skips;
}

void line(std::string& out, const char* label, const std::string& text) {
  out += paragraph(fmt::format("  {:<12}", label), text);
}

std::string heading(const Verdict& v) {
  const auto name = v.node.empty() ? v.name : v.node + "/" + v.name;
  auto text = v.judgement == Judgement::not_judged ? v.reason
                                                   : counted(v.misses, "miss", "misses") + " in " +
                                                         counted(v.judged, "activation", "activations");
  if (v.judgement != Judgement::not_judged && v.skips > 0) {
    text += ", " + counted(v.skips, "skipped slot", "skipped slots");
  }
  return paragraph(fmt::format("{:<12}", title(v.judgement)), name + ": " + text);
}

std::string counts(const Verdict& v) {
  auto text =
      counted(v.activations, "activation", "activations") + ", " + counted(v.misses, "miss", "misses");
  if (v.misses > 0 && v.judged > 0) {
    text += fmt::format(" ({:.3g} %), longest run {}",
                        100.0 * static_cast<double>(v.misses) / static_cast<double>(v.judged),
                        v.longest_miss_run);
  }
  text += ", " + counted(v.skips, "skip", "skips");
  const auto also = [&](std::uint64_t n, const char* what) {
    if (n > 0) text += fmt::format(", {} {}", n, what);
  };
  also(v.warmup, "warm-up");
  also(v.suppressed, "late results suppressed");
  also(v.excluded_not_started, "excluded: clock not started");
  also(v.excluded_paused, "excluded: clock paused");
  also(v.excluded_jumped, "excluded: clock jumped");
  also(v.lost_origins, "without origin, not judged");
  also(v.not_recorded, "judged but missing below: the ring was full");
  if (v.clock_state == ClockState::stands) text += "; simulated time stands";
  return text;
}

void distributions(std::string& out, const Verdict& v) {
  if (v.response.count == 0) return;
  out += fmt::format("  {:<12}{:>11}{:>11}{:>11}{:>11}   {}\n", "ms", "p50", "p99", "p99.9", "max", "max at");
  const auto row = [&](const char* name, const Distribution& d) {
    if (d.count == 0) return;
    out += fmt::format("  {:<12}{:>11.3f}{:>11.3f}{:>11.3f}{:>11.3f}   #{} ({:.3f} s)\n", name, to_ms(d.p50),
                       to_ms(d.p99), to_ms(d.p999), to_ms(d.max), d.max_index, to_seconds(d.max_at));
  };
  if (v.kind == SectionKind::chain) {
    row("latency", v.response);
  } else {
    row("lateness", v.lateness);
    row("execution", v.execution);
    row("response", v.response);
  }
  row("interval", v.interval);
  row("wake-up", v.wake_latency);
}

std::string on_cpus(const Scheduling& scheduling, const std::vector<int>& cpus) {
  auto text = to_string(scheduling);
  if (!cpus.empty()) text += fmt::format(" on CPU {}", fmt::join(cpus, ","));
  return text;
}

std::string scheduling_text(const Verdict& v) {
  auto text = "granted " + on_cpus(v.granted.scheduling, v.granted.cpus);
  for (const auto& other : v.also_granted)
    text += "; another thread " + on_cpus(other.scheduling, other.cpus);
  const bool asked = !std::holds_alternative<Inherit>(v.asked.scheduling) || !v.asked.cpus.empty();
  if (asked) text += "; asked " + on_cpus(v.asked.scheduling, v.asked.cpus);
  const auto add_refused = [&](const ThreadState& state) {
    for (const auto& refused : state.refused) text += "; refused: " + refused;
  };
  add_refused(v.granted);
  for (const auto& other : v.also_granted) add_refused(other);
  return text;
}

std::string causes_text(const Verdict& v) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < kCauses; ++i) {
    if (v.causes[i] > 0) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(), [&](auto a, auto b) { return v.causes[a] > v.causes[b]; });
  std::string text;
  for (const auto i : found) {
    const auto cause = static_cast<Cause>(i);
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", v.causes[i], key(cause), words(cause));
  }
  return text;
}

void misses(std::string& out, const Verdict& v) {
  if (v.misses == 0) return;
  if (const auto text = causes_text(v); !text.empty()) line(out, "causes", text);
  const char* label = "last misses";
  const auto n = v.last_misses.size();
  for (auto i = n > kMissesShown ? n - kMissesShown : 0; i < n; ++i) {
    const auto& m = v.last_misses[i];
    out += paragraph(
        fmt::format("  {:<12}", label),
        fmt::format("#{} at {:.3f} s, {:.3f} ms: {}", m.index, to_seconds(m.at), to_ms(m.response), m.detail),
        2);
    label = "";
  }
}

void block(std::string& out, const Verdict& v) {
  out += heading(v);
  line(out, "rule", v.rule_text);
  line(out, "counts", counts(v));
  distributions(out, v);
  if (v.activations > 0 && v.kind != SectionKind::chain) line(out, "scheduling", scheduling_text(v));
  misses(out, v);
}

std::string summary(const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const auto judgement : {Judgement::missed, Judgement::not_judged, Judgement::met}) {
    const auto n = std::count_if(verdicts.begin(), verdicts.end(),
                                 [&](const Verdict& v) { return v.judgement == judgement; });
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, title(judgement));
  }
  if (text.empty()) return "verdict: nothing was recorded\n";
  const auto cost = verdicts.front().recording_ns;
  if (cost > 0) text += fmt::format(" (recording one activation takes {:.0f} ns)", cost);
  return "verdict: " + text + "\n";
}

}  // namespace

std::string to_text(const std::vector<Verdict>& verdicts, std::size_t limit) {
  std::vector<const Verdict*> order;
  for (const auto& v : verdicts) order.push_back(&v);
  std::stable_sort(order.begin(), order.end(), worse);
  auto out = summary(verdicts);
  for (std::size_t i = 0; i < std::min(limit, order.size()); ++i) {
    out += '\n';
    block(out, *order[i]);
  }
  if (order.size() > limit)
    out += fmt::format("\n{} more are not shown; the worst come first\n", order.size() - limit);
  return out;
}

}  // namespace takt::timing
