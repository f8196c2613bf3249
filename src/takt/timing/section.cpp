// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/section.hpp"

#include <algorithm>
#include <utility>

namespace takt {

const char* to_string(Criticality criticality) noexcept {
  switch (criticality) {
    case Criticality::soft:
      return "soft";
    case Criticality::firm:
      return "firm";
    case Criticality::hard:
      return "hard";
  }
  return "?";
}

const char* to_string(MissRule rule) noexcept { return rule == MissRule::response ? "response" : "interval"; }

}  // namespace takt

namespace takt::timing {

namespace {

Duration deadline_of(const SectionOptions& options) {
  if (options.deadline) return *options.deadline;
  return options.period > Duration::zero() ? options.period : kNoDeadline;
}

void refuse_negative(Duration value, const char* what, const std::string& name) {
  if (value < Duration::zero()) {
    throw SetupError(name + ": a " + what + " of " + std::to_string(value.count()) + " ns is negative",
                     std::string("give a ") + what + " of zero or more");
  }
}

/// A name is printed in verdicts, logs and tables.
void refuse_unprintable(const std::string& name) {
  constexpr std::size_t kLongest = 255;
  if (name.size() > kLongest) {
    throw SetupError("the name of a callback has " + std::to_string(name.size()) + " characters",
                     "use at most " + std::to_string(kLongest));
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), control)) {
    throw SetupError("the name of a callback has a control character", "use printable characters");
  }
}

}  // namespace

void check(const SectionOptions& options) {
  if (options.name.empty()) throw SetupError("a section needs a name", "set SectionOptions::name");
  refuse_unprintable(options.name);
  if (options.deadline) refuse_negative(*options.deadline, "deadline", options.name);
  refuse_negative(options.jitter, "jitter", options.name);
  refuse_negative(options.period, "period", options.name);
  const auto [misses, window] = options.tolerance;
  if (window == 0 || window < misses) {
    throw SetupError(options.name + ": a tolerance of " + std::to_string(misses) + " misses in any " +
                         std::to_string(window) + " activations makes no sense",
                     "give a window of at least one activation and at least as many as tolerated misses");
  }
  constexpr std::uint32_t kMostTolerated = 100'000;  // one place is kept for each
  if (misses > kMostTolerated) {
    throw SetupError(options.name + ": a tolerance of " + std::to_string(misses) + " misses is too large",
                     "tolerate at most " + std::to_string(kMostTolerated));
  }
}

SectionId origin_id_of(std::string_view full_name) noexcept {
  SectionId hash = 2166136261U;  // FNV-1a
  for (const char c : full_name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash | 1U << 31U;
}

Section::Section(SectionId id, SectionOptions options)
    : id_(id),
      origin_id_(origin_id_of(options.node.empty() ? options.name : options.node + "/" + options.name)),
      exclusive_(options.group != 0),
      deadline_(deadline_of(options)),
      options_(std::move(options)),
      warmup_(options_.warmup),
      clock_(options_.clock) {}

std::string Section::full_name() const {
  return options_.node.empty() ? options_.name : options_.node + "/" + options_.name;
}

void Section::count_excluded(RecordFlags why, std::uint64_t n) noexcept {
  auto& counter = (why & kClockNotStarted) != 0 ? excluded_not_started_
                  : (why & kClockPaused) != 0   ? excluded_paused_
                                                : excluded_jumped_;
  counter.fetch_add(n, std::memory_order_relaxed);
  last_start_ns_.store(INT64_MIN, std::memory_order_relaxed);
}

Section::Excluded Section::excluded() const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  return {excluded_not_started_.load(kRelaxed), excluded_paused_.load(kRelaxed),
          excluded_jumped_.load(kRelaxed)};
}

Section::NotRecorded Section::not_recorded() const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  return {not_recorded_.load(kRelaxed), not_recorded_misses_.load(kRelaxed),
          not_recorded_skips_.load(kRelaxed)};
}

bool Section::breaks(Duration response, std::optional<Duration> interval) const noexcept {
  if (deadline_ == kNoDeadline) return false;
  if (options_.rule == MissRule::response) return response > deadline_;
  return interval && *interval - options_.jitter > deadline_;
}

void Section::clear_counters() noexcept {
  begun_from_.store(begun_.load(std::memory_order_relaxed), std::memory_order_release);
  activations_from_.store(activations_.load(std::memory_order_relaxed), std::memory_order_release);
  for (auto* counter :
       {&misses_, &skips_, &warmup_, &suppressed_, &excluded_not_started_, &excluded_paused_,
        &excluded_jumped_, &lost_origins_, &not_recorded_, &not_recorded_misses_, &not_recorded_skips_}) {
    counter->store(0, std::memory_order_relaxed);
  }
  last_start_ns_.store(INT64_MIN, std::memory_order_relaxed);
}

}  // namespace takt::timing
