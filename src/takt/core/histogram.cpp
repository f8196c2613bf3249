// SPDX-License-Identifier: Apache-2.0
#include "takt/core/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace takt {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

void lower(std::atomic<std::int64_t>& extreme, std::int64_t value) noexcept {
  auto seen = extreme.load(kRelaxed);
  while (value < seen && !extreme.compare_exchange_weak(seen, value, kRelaxed)) {
  }
}

/// fetch_add for the only writer.
template <class Number>
void add_alone(std::atomic<Number>& counter, Number more) noexcept {
  counter.store(counter.load(kRelaxed) + more, kRelaxed);
}

}  // namespace

std::size_t Histogram::bucket_of(Duration value) noexcept {
  if (value.count() < 1) return 0;
  if (value > kLargest) return kBuckets - 1;
  const auto ns = static_cast<std::uint64_t>(value.count());
  constexpr std::uint64_t linear = 1U << kSubBits;
  if (ns < linear) return static_cast<std::size_t>(ns);
  const auto shift = static_cast<unsigned>(std::bit_width(ns)) - 1U - kSubBits;
  return static_cast<std::size_t>((std::uint64_t{shift} << kSubBits) + (ns >> shift));
}

Duration Histogram::middle_of(std::size_t bucket) noexcept {
  constexpr std::size_t linear = 1U << kSubBits;
  if (bucket < 2 * linear) return Duration{static_cast<std::int64_t>(bucket)};  // one nanosecond each
  const auto shift = (bucket >> kSubBits) - 1;
  const auto lowest = static_cast<std::int64_t>((bucket & (linear - 1)) + linear) << shift;
  return Duration{lowest + (std::int64_t{1} << (shift - 1))};
}

void Histogram::record(Duration value, std::uint64_t index, SteadyTime at) noexcept {
  const auto ns = value.count();
  if (ns < 0) negatives_.fetch_add(1, kRelaxed);
  if (value > kLargest) overflows_.fetch_add(1, kRelaxed);
  lower(min_ns_, ns);
  raise_max(ns, index, at.time_since_epoch().count());
  sum_ns_.fetch_add(ns, kRelaxed);
  buckets_[bucket_of(value)].fetch_add(1, kRelaxed);
  count_.fetch_add(1, kRelaxed);
}

void Histogram::record_alone(Duration value, std::uint64_t index, SteadyTime at) noexcept {
  const auto ns = value.count();
  if (ns < 0) add_alone<std::uint64_t>(negatives_, 1);
  if (value > kLargest) add_alone<std::uint64_t>(overflows_, 1);
  if (ns < min_ns_.load(kRelaxed)) min_ns_.store(ns, kRelaxed);
  if (ns > max_ns_.load(kRelaxed)) {
    max_ns_.store(ns, kRelaxed);
    max_index_.store(index, kRelaxed);
    max_at_ns_.store(at.time_since_epoch().count(), kRelaxed);
  }
  add_alone(sum_ns_, ns);
  add_alone<std::uint64_t>(buckets_[bucket_of(value)], 1);
  add_alone<std::uint64_t>(count_, 1);
}

// A writer that is preempted after it has raised the maximum must not put its index over that of a larger
// value. What it replaces was read before the raise, so the exchange fails if anybody wrote since; then it
// tries again only while the maximum is still its own. (Exact as long as no two maxima have the same index
// and time.)
void Histogram::raise_max(std::int64_t ns, std::uint64_t index, std::int64_t at_ns) noexcept {
  auto largest = max_ns_.load(kRelaxed);
  if (ns <= largest) return;
  auto old_index = max_index_.load();
  auto old_at_ns = max_at_ns_.load();
  while (!max_ns_.compare_exchange_weak(largest, ns)) {
    if (ns <= largest) return;
  }
  while (!max_index_.compare_exchange_strong(old_index, index) && max_ns_.load() == ns) {
  }
  while (!max_at_ns_.compare_exchange_strong(old_at_ns, at_ns) && max_ns_.load() == ns) {
  }
}

std::uint64_t Histogram::count() const noexcept { return count_.load(kRelaxed); }
std::uint64_t Histogram::negatives() const noexcept { return negatives_.load(kRelaxed); }
std::uint64_t Histogram::overflows() const noexcept { return overflows_.load(kRelaxed); }

Duration Histogram::min() const noexcept {
  const auto ns = min_ns_.load(kRelaxed);
  return Duration{ns == INT64_MAX ? 0 : ns};
}

Duration Histogram::max() const noexcept {
  const auto ns = max_ns_.load(kRelaxed);
  return Duration{ns == INT64_MIN ? 0 : ns};
}

double Histogram::mean_ns() const noexcept {
  const auto n = count();
  return n == 0 ? 0.0 : static_cast<double>(sum_ns_.load(kRelaxed)) / static_cast<double>(n);
}

std::uint64_t Histogram::max_index() const noexcept { return max_index_.load(kRelaxed); }
SteadyTime Histogram::max_at() const noexcept { return SteadyTime{Duration{max_at_ns_.load(kRelaxed)}}; }

Duration Histogram::percentile(double q) const noexcept {
  std::uint64_t n = 0;  // of the buckets, so that rank and scan agree while others record
  for (const auto& bucket : buckets_) n += bucket.load(kRelaxed);
  if (n == 0) return Duration::zero();
  const auto rank =
      static_cast<std::uint64_t>(std::round(std::clamp(q, 0.0, 1.0) * static_cast<double>(n - 1)));
  if (rank == 0) return min();
  if (rank >= n - 1) return max();
  std::uint64_t below = 0;
  std::size_t i = 0;
  for (; i < kBuckets - 1; ++i) {
    below += buckets_[i].load(kRelaxed);
    if (below > rank) break;
  }
  return std::max(min(), std::min(max(), middle_of(i)));
}

void Histogram::merge(const Histogram& other) noexcept {
  const auto n = other.count();
  if (n == 0) return;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (const auto more = other.buckets_[i].load(kRelaxed); more != 0) buckets_[i].fetch_add(more, kRelaxed);
  }
  lower(min_ns_, other.min_ns_.load(kRelaxed));
  raise_max(other.max_ns_.load(kRelaxed), other.max_index_.load(kRelaxed), other.max_at_ns_.load(kRelaxed));
  sum_ns_.fetch_add(other.sum_ns_.load(kRelaxed), kRelaxed);
  negatives_.fetch_add(other.negatives(), kRelaxed);
  overflows_.fetch_add(other.overflows(), kRelaxed);
  count_.fetch_add(n, kRelaxed);
}

void Histogram::reset() noexcept {
  for (auto& bucket : buckets_) bucket.store(0, kRelaxed);
  count_.store(0, kRelaxed);
  sum_ns_.store(0, kRelaxed);
  min_ns_.store(INT64_MAX, kRelaxed);
  max_ns_.store(INT64_MIN, kRelaxed);
  max_index_.store(0, kRelaxed);
  max_at_ns_.store(0, kRelaxed);
  negatives_.store(0, kRelaxed);
  overflows_.store(0, kRelaxed);
}

}  // namespace takt
