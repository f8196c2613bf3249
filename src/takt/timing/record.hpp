// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "takt/core/time.hpp"

namespace takt::timing {

/// A record is folded this long after its finish at the latest.
inline constexpr Duration kLongestHold = std::chrono::seconds{1};

/// Identifies a section (a callback, a chain or a user's own loop) within one Monitor. 0 = none.
using SectionId = std::uint32_t;

/// The number by which a section is known where chains begin: made of its full name "<node>/<name>", so that
/// all processes give it the same. Never 0 and never a Monitor's own number of a section. Two names
/// may have the same one (31 bits): their chains are then mistaken for each other.
SectionId origin_id_of(std::string_view full_name) noexcept;

/// Where a chain began: the start of its first callback. It travels with every message that is published
/// inside a callback.
struct Origin {
  SteadyTime at{};
  SectionId section = 0;  ///< an origin id (origin_id_of): the same in every process

  bool known() const noexcept { return section != 0; }
  /// Fusion: the older of two; an unknown origin makes the result unknown (the chain is lost, hence not
  /// judged).
  static Origin oldest(const Origin& a, const Origin& b) noexcept {
    if (!a.known() || !b.known()) return {};
    return b.at < a.at ? b : a;
  }
};

enum RecordFlags : std::uint32_t {
  kMissed = 1U << 0,       ///< its deadline
  kWarmup = 1U << 1,       ///< not judged
  kExcluded = 1U << 2,     ///< clock not started, paused or jumped: not judged
  kClockJumped = 1U << 3,  ///< with kExcluded
  kClockNotStarted = 1U << 4,
  kClockPaused = 1U << 5,
  kSuppressed = 1U << 6,  ///< firm: at least one late publish was suppressed
  kThrew = 1U << 7,       ///< the body ended with an exception
  kNoInterval =
      1U << 8,  ///< no start before it to count from: the first one, or the clock stood or jumped since
  kEvidence = 1U << 9,  ///< a snapshot of the thread's counters was taken after it
};

/// Neither warm-up nor excluded.
inline bool is_judged(std::uint32_t flags) noexcept { return (flags & (kExcluded | kWarmup)) == 0; }

/// The upper bits of a record's flags hold the low bits of the activation's index.
inline constexpr unsigned kIndexShift = 12;
inline constexpr std::uint32_t kFlagMask = (1U << kIndexShift) - 1;

/// What a worker writes of every activation: one cache line.
struct ActivationRecord {
  std::int64_t release_ns = 0;      ///< on the section's own clock
  std::int64_t start_clock_ns = 0;  ///< on the section's own clock
  std::int64_t start_ns = 0;        ///< monotonic
  std::int64_t finish_ns = 0;       ///< monotonic
  /// Monotonic: when it became known to this process (a message's arrival, a slot's wake).
  std::int64_t arrival_ns = 0;
  std::int64_t origin_ns = 0;  ///< monotonic; meaningful when origin_section != 0
  SectionId section = 0;
  SectionId origin_section = 0;  ///< an origin id
  std::uint32_t skipped = 0;     ///< slots dropped by this activation
  std::uint32_t flags = 0;       ///< RecordFlags, and the index from bit kIndexShift on

  std::int64_t lateness_ns() const noexcept { return start_clock_ns - release_ns; }
  std::int64_t execution_ns() const noexcept { return finish_ns - start_ns; }
  std::int64_t response_ns() const noexcept { return lateness_ns() + execution_ns(); }
};
static_assert(sizeof(ActivationRecord) == 64);

}  // namespace takt::timing
