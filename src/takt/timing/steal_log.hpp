// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "takt/timing/system_counters.hpp"

namespace takt::timing {

/// The fold's own readings of what the machine lost, so that a worker need not read them before every wait: a
/// missed activation's reading is compared with the last one from before its evidence began.
class StealLog {
 public:
  /// Takes a reading unless the last one is younger than kRest. In an ordinary thread.
  void refresh(std::int64_t now_ns) noexcept;

  /// Lost since the last reading at or before `since_ns` (else since the oldest), in ns; 0 when not known.
  std::int64_t stolen(std::int64_t since_ns, int cpu, std::int64_t reading_ns) const noexcept;
  std::int64_t throttled(std::int64_t since_ns, std::int64_t reading_ns) const noexcept;

  static constexpr std::int64_t kRest = 20'000'000;

 private:
  static constexpr std::size_t kReadings = 64;
  static constexpr std::size_t kCpus = 64;  // stolen time of others is not known
  struct Reading {
    std::int64_t at_ns = 0;
    std::optional<std::int64_t> throttled;
    std::array<std::int64_t, kCpus> stolen{};
    std::size_t cpus = 0;
  };
  const Reading* before(std::int64_t since_ns) const noexcept;

  SystemCounters counters_;
  std::array<Reading, kReadings> readings_{};
  std::uint64_t count_ = 0;
};

}  // namespace takt::timing
