// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/section_fold.hpp"

#include <algorithm>

namespace takt::timing {

SectionFold::SectionFold(Section& judged_section, std::uint32_t last_misses)
    : section(judged_section),
      kept_(std::max(last_misses, 1U)),
      miss_places_(judged_section.options().tolerance.misses + 1ULL) {
  if (section.clock() == ClockKind::simulated) wake_latency = std::make_unique<Histogram>();
}

std::uint64_t SectionFold::index_of(const ActivationRecord& record) const noexcept {
  const auto expected = last_index_ + 1;
  const auto low = record.flags >> kIndexShift;
  // The distance between the low bits, as a signed number of 32 - kIndexShift bits.
  const auto distance =
      static_cast<std::int32_t>((low - static_cast<std::uint32_t>(expected)) << kIndexShift) >> kIndexShift;
  const auto index = static_cast<std::int64_t>(expected) + distance;
  return index < 1 ? expected : static_cast<std::uint64_t>(index);
}

std::optional<Duration> SectionFold::interval_before(const ActivationRecord& record,
                                                     std::uint64_t index) const noexcept {
  if ((record.flags & (kNoInterval | kExcluded)) != 0 || last_start_ns_ == INT64_MIN) return std::nullopt;
  if (index != last_index_ + 1 || record.start_ns < last_start_ns_) return std::nullopt;
  return Duration{record.start_ns - last_start_ns_};
}

void SectionFold::add(const ActivationRecord& record, std::uint64_t index, std::uint32_t worker) noexcept {
  const auto since_last = interval_before(record, index);
  last_start_ns_ = (record.flags & kExcluded) != 0 ? INT64_MIN : std::max(last_start_ns_, record.start_ns);
  last_index_ = std::max(last_index_, index);
  ++activations;
  remember(worker);
  if ((record.flags & kExcluded) != 0) {
    ++excluded;
    return;
  }
  if ((record.flags & kWarmup) != 0) {
    ++warmup;
    return;
  }
  ++judged;
  skips += record.skipped;
  const SteadyTime at{Duration{record.start_ns}};
  lateness.record_alone(Duration{record.lateness_ns()}, index, at);
  execution.record_alone(Duration{record.execution_ns()}, index, at);
  response.record_alone(Duration{record.response_ns()}, index, at);
  if (since_last) interval.record_alone(*since_last, index, at);
  if (wake_latency && section.clock() == ClockKind::simulated)
    wake_latency->record_alone(Duration{record.start_ns - record.arrival_ns}, index, at);
  if ((record.flags & kMissed) != 0) {
    count_miss();
  } else {
    run_ = 0;
  }
}

/// (m,k) exactly: some k consecutive activations hold more than m misses if and only if some miss and the
/// m-th before it lie less than k apart.
void SectionFold::count_miss() noexcept {
  longest_run = std::max(longest_run, ++run_);
  const auto before = miss_places_.size() - 1;  // m
  const auto place = misses % miss_places_.size();
  miss_places_[place] = judged;
  ++misses;
  if (misses <= before) return;
  const auto oldest = miss_places_[misses % miss_places_.size()];
  if (judged - oldest < section.options().tolerance.window) ++intolerable;
}

void SectionFold::add_miss(const KeptMiss& miss) noexcept {
  ++causes[static_cast<std::size_t>(miss.finding.cause)];
  kept_[kept_count_++ % kept_.size()] = miss;
}

void SectionFold::remember(std::uint32_t worker) noexcept {
  const auto* const end = workers.cbegin() + worker_count;
  if (std::find(workers.cbegin(), end, worker) == end && worker_count < workers.size())
    workers[worker_count++] = worker;
}

void SectionFold::clear() noexcept {
  for (auto* histogram : {&lateness, &execution, &response, &interval}) histogram->reset();
  if (wake_latency) wake_latency->reset();
  activations = warmup = excluded = judged = misses = skips = longest_run = intolerable = 0;
  causes.fill(0);
  kept_count_ = run_ = last_index_ = 0;
  last_start_ns_ = INT64_MIN;
}

}  // namespace takt::timing
