// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "takt/core/time.hpp"

namespace takt {

/// A log-linear histogram of durations from 1 ns to 1 h in fixed storage (about 19 KB): at most 1 % relative
/// error in a percentile; count, sum, minimum and maximum are exact. Values below 1 ns go to the first bucket
/// and are counted as negative when below zero; values above 1 h go to the last bucket and are counted as
/// overflow.
class Histogram {
 public:
  /// Real-time: wait-free with one writer; any number of threads (writers that raise the maximum against each
  /// other retry). `index` and `at` are kept for the maximum only (read together they may be torn while
  /// writers run; exact once they rest).
  void record(Duration value, std::uint64_t index = 0, SteadyTime at = {}) noexcept;
  /// As record(), by the only thread that writes at this time (reset() and merge() write as well): a third of
  /// its cost, since nothing is read and modified in one step. Any number may read meanwhile. Wait-free.
  void record_alone(Duration value, std::uint64_t index = 0, SteadyTime at = {}) noexcept;

  std::uint64_t count() const noexcept;
  std::uint64_t negatives() const noexcept;
  std::uint64_t overflows() const noexcept;
  Duration min() const noexcept;    ///< exact; zero when empty
  Duration max() const noexcept;    ///< exact; zero when empty
  double mean_ns() const noexcept;  ///< exact sum over count; zero when empty
  std::uint64_t max_index() const noexcept;
  SteadyTime max_at() const noexcept;

  /// Nearest rank: the value at index round(q * (n - 1)) of the sorted samples, to within 1 %. q in [0, 1];
  /// zero when empty.
  Duration percentile(double q) const noexcept;

  /// Adds the other's samples. Not atomic as a whole against concurrent records of either.
  void merge(const Histogram& other) noexcept;
  void reset() noexcept;

  static constexpr int kSubBits = 6;  ///< 64 linear buckets per octave: half a bucket is 0.8 %
  static constexpr Duration kLargest = std::chrono::hours{1};

 private:
  static constexpr std::size_t kBuckets = (42 - kSubBits + 1) << kSubBits;
  void raise_max(std::int64_t ns, std::uint64_t index, std::int64_t at_ns) noexcept;
  static std::size_t bucket_of(Duration value) noexcept;
  static Duration middle_of(std::size_t bucket) noexcept;

  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::int64_t> sum_ns_{0};
  std::atomic<std::int64_t> min_ns_{INT64_MAX};
  std::atomic<std::int64_t> max_ns_{INT64_MIN};
  std::atomic<std::uint64_t> max_index_{0};
  std::atomic<std::int64_t> max_at_ns_{0};
  std::atomic<std::uint64_t> negatives_{0};
  std::atomic<std::uint64_t> overflows_{0};
};

}  // namespace takt
