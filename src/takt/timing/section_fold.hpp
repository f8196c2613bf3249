// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "takt/core/histogram.hpp"
#include "takt/timing/causes.hpp"
#include "takt/timing/history.hpp"
#include "takt/timing/section.hpp"

namespace takt::timing {

/// Everything that is kept of one miss. Its words are made when somebody asks.
struct KeptMiss {
  std::uint64_t index = 0;
  std::int64_t start_ns = 0;
  std::int64_t value_ns = 0;  ///< the response, or the interval under that rule
  Finding finding;
  Blocked blocked;
  Evidence evidence;
  bool has_evidence = false;
  Past slowest;                  ///< chains: the slowest activation of this run; section 0: not known
  SectionId origin_section = 0;  ///< origin id of where what triggered it began; 0: itself
};

/// What has been folded of one section: distributions, runs of misses, tolerance, last misses. All storage is
/// allocated at construction (about 90 KB). Not thread-safe: the fold's mutex guards it.
class SectionFold {
 public:
  SectionFold(Section& section, std::uint32_t last_misses);

  /// Adds an activation in order of start. `record.flags` says whether it is judged and missed.
  void add(const ActivationRecord& record, std::uint64_t index, std::uint32_t worker) noexcept;
  void add_miss(const KeptMiss& miss) noexcept;
  /// The index that the record carries in its flags, unfolded.
  std::uint64_t index_of(const ActivationRecord& record) const noexcept;
  /// What stands before the record, if nothing was lost or excluded in between.
  std::optional<Duration> interval_before(const ActivationRecord& record, std::uint64_t index) const noexcept;
  void clear() noexcept;

  Section& section;
  Histogram lateness, execution, response, interval;
  std::unique_ptr<Histogram> wake_latency;  ///< of a section that begins on simulated time
  std::uint64_t activations = 0, warmup = 0, excluded = 0, judged = 0, misses = 0, skips = 0;
  std::uint64_t longest_run = 0;
  std::uint64_t intolerable = 0;  ///< misses that ended a window with more than the tolerated ones
  std::array<std::uint64_t, kCauses> causes{};
  std::array<std::uint32_t, 8> workers{};  ///< the first ones that ran it
  std::uint32_t worker_count = 0;

  /// The kept misses, oldest first.
  template <class F>
  void for_each_miss(F&& f) const {
    const auto n = kept_.size();
    for (auto i = kept_count_ > n ? kept_count_ - n : 0; i < kept_count_; ++i) f(kept_[i % n]);
  }

 private:
  void count_miss() noexcept;
  void remember(std::uint32_t worker) noexcept;

  std::vector<KeptMiss> kept_;
  std::uint64_t kept_count_ = 0;
  std::vector<std::uint64_t> miss_places_;  // of the last tolerance + 1 misses, counted in judged activations
  std::uint64_t run_ = 0;
  std::uint64_t last_index_ = 0;
  std::int64_t last_start_ns_ = INT64_MIN;
};

}  // namespace takt::timing
