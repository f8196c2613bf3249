// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/monitor.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/log.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/timing/judge.hpp"
#include "takt/timing/machine.hpp"
#include "takt/timing/monitor_state.hpp"

namespace takt::timing {

namespace {

MonitorOptions completed(MonitorOptions options) {
  if (!options.clock) options.clock = SteadyClock::instance();
  if (!std::has_single_bit(options.ring_records) || options.ring_records < 2) {
    throw SetupError("ring_records is " + std::to_string(options.ring_records),
                     "give a power of two, at least 2");
  }
  return options;
}

constexpr const char* kUnknownName = "?";

bool named(const Section& section, const std::string& name) {
  return section.options().name == name || section.full_name() == name;
}

}  // namespace

Monitor::State::State(MonitorOptions given)
    : options(completed(std::move(given))),
      real_clock(dynamic_cast<const SteadyClock*>(options.clock.get()) != nullptr),
      house(options.house != nullptr ? *options.house : House::of_process()),
      fold(*options.clock, real_clock, options.ring_records),
      task(house.add([this] { return fold.run(false); })) {}

std::shared_ptr<WorkerLog> Monitor::State::make_log(ThreadOptions asked, ThreadState granted,
                                                    std::string pool) {
  auto log = std::make_shared<WorkerLog>(*options.clock, &house, &fold,
                                         WorkerLog::Options{options.ring_records, std::move(asked),
                                                            std::move(granted), std::move(pool), real_clock});
  fold.add(log);
  return log;
}

SectionFold& Monitor::State::add(SectionOptions wanted) {
  check(wanted);
  auto& section = sections.emplace_back(static_cast<SectionId>(sections.size() + 1), std::move(wanted));
  names.push_back(section.full_name());
  origin_names.emplace(section.origin_id(), names.back());
  auto& folded = *folds.emplace_back(std::make_unique<SectionFold>(section, options.last_misses));
  fold.add(folded);
  return folded;
}

/// Makes the chain begin or end at the section if it is named so.
void Monitor::State::link(ChainRule& rule, Section& section) {
  if (section.options().kind == SectionKind::chain) return;
  if (named(section, rule.from)) {
    begin_at(rule, section.origin_id());
    rule.begins_here = true;
  }
  if (named(section, rule.to)) {
    ends.push_back({&rule, section.chain_ends_.load(std::memory_order_relaxed)});
    section.chain_ends_.store(&ends.back(), std::memory_order_release);
  }
}

void Monitor::State::begin_at(ChainRule& rule, SectionId origin) {
  if (rule.begins_at(origin)) return;
  starts.push_back({origin, rule.starts.load(std::memory_order_relaxed)});
  rule.starts.store(&starts.back(), std::memory_order_release);
}

const std::string& Monitor::State::name_of(SectionId id) const {
  static const std::string nobody = kUnknownName;
  if (id != 0 && id <= names.size()) return names[id - 1];
  const auto origin = origin_names.find(id);
  return origin == origin_names.end() ? nobody : origin->second;
}

Verdict Monitor::State::judge(const SectionFold& folded) {
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const ChainRule& r) { return r.chain == &folded.section; });
  const auto names_of = [this](SectionId id) { return name_of(id); };
  auto verdict = fold.read(
      [&] { return timing::judge(fold, folded, rule == rules.end() ? nullptr : &*rule, names_of); });
  verdict.recording_ns = recording_cost_ns();
  return verdict;
}

Verdict Monitor::State::verdict_of(SectionId id) {
  if (folds[id - 1]) return judge(*folds[id - 1]);
  if (const auto kept = retired.find(id); kept != retired.end()) return kept->second;
  return judge(SectionFold(sections[id - 1], 0));  // it never ran
}

void Monitor::State::keep_retired(Verdict verdict, SectionId id) {
  const auto excluded = verdict.excluded_not_started + verdict.excluded_paused + verdict.excluded_jumped;
  if (verdict.activations + verdict.skips + excluded == 0) return;
  retired.emplace(id, std::move(verdict));
  if (retired.size() <= kMostRetired) return;
  retired.erase(retired.begin());
  if (!std::exchange(retired_dropped, true)) {
    log::write(log::Level::warn, "timing",
               "more than {} callbacks have come and gone: the oldest ones' verdicts are dropped",
               kMostRetired);
  }
}

Monitor::Monitor(MonitorOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Monitor::~Monitor() = default;

Section& Monitor::add(SectionOptions options) {
  const std::lock_guard lock(state_->registry);
  auto& section = state_->add(std::move(options)).section;
  for (auto& rule : state_->rules) state_->link(rule, section);
  return section;
}

void Monitor::retire(Section& section) {
  TAKT_CHECK(section.options().kind != SectionKind::chain);  // others' records still end in it
  state_->fold.run(false);
  const std::lock_guard lock(state_->registry);
  auto& folded = state_->folds[section.id() - 1];
  if (!folded) return;
  auto verdict = state_->judge(*folded);
  state_->fold.remove(section.id());
  folded.reset();
  state_->keep_retired(std::move(verdict), section.id());
}

Section& Monitor::add_chain(ChainOptions options) {
  if (options.from.empty() || options.to.empty()) {
    throw SetupError("chain '" + options.name + "' lacks an end",
                     "name the sections where it begins and ends");
  }
  fold();  // what ended before the chain was known is not part of it
  SectionOptions wanted;
  static_cast<DeadlineOptions&>(wanted) = options;
  wanted.name = std::move(options.name);
  wanted.kind = SectionKind::chain;
  const std::lock_guard lock(state_->registry);
  const auto before = state_->sections.size();
  auto& chain = state_->add(std::move(wanted)).section;
  auto& rule = state_->rules.emplace_back(&chain, std::move(options.from), std::move(options.to));
  for (std::size_t i = 0; i < before; ++i) state_->link(rule, state_->sections[i]);
  if (rule.from.find('/') != std::string::npos) {  // it may begin in another process
    const auto origin = origin_id_of(rule.from);
    state_->begin_at(rule, origin);
    state_->origin_names.emplace(origin, rule.from);
  }
  return chain;
}

std::shared_ptr<void> Monitor::observe(Observer observer) {
  return state_->fold.observe(std::move(observer));
}

void Monitor::fold() { state_->fold.run(false); }

std::vector<Verdict> Monitor::verdicts() {
  state_->fold.run(true);
  const std::lock_guard lock(state_->registry);
  std::vector<Verdict> verdicts;
  verdicts.reserve(state_->folds.size());
  for (SectionId id = 1; id <= state_->folds.size(); ++id) {
    const auto& section = state_->sections[id - 1];
    if (section.options().kind == SectionKind::event && section.activations() == 0) continue;
    if (state_->folds[id - 1] || state_->retired.contains(id)) verdicts.push_back(state_->verdict_of(id));
  }
  return verdicts;
}

Verdict Monitor::verdict(const Section& section) {
  state_->fold.run(true);
  const std::lock_guard lock(state_->registry);
  return state_->verdict_of(section.id());
}

void Monitor::reset() {
  state_->fold.reset();
  const std::lock_guard lock(state_->registry);
  for (auto& section : state_->sections) section.clear_counters();
  state_->retired.clear();
}

const Section* Monitor::find(const std::string& name) const {
  const std::lock_guard lock(state_->registry);
  const auto& sections = state_->sections;
  const auto found =
      std::find_if(sections.rbegin(), sections.rend(), [&](const Section& s) { return named(s, name); });
  return found == sections.rend() ? nullptr : &*found;
}

const std::string& Monitor::name_of(SectionId id) const {
  static const std::string none;
  const std::lock_guard lock(state_->registry);
  const auto& name = state_->name_of(id);
  return name == kUnknownName ? none : name;
}

MonotonicClock& Monitor::clock() const noexcept { return *state_->options.clock; }

}  // namespace takt::timing
