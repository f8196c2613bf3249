// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lab/comm/tables.hpp"

/// What the cells of a run say to a prediction.
namespace takt::lab::comm {

constexpr std::uint32_t kFewReaders = 16;  // more than these the machine itself may not hold
constexpr std::uint32_t kManyReaders = 64;
constexpr std::uint32_t kMegabyte = 1U << 20U;

/// What came out of the cells that a prediction is about.
struct Outcome {
  std::optional<double> value;  ///< unset: nothing was measured
  bool judged = true;           ///< false: it decides nothing
};

/// takt's largest ratio to the floor with few readers and a small message; judged where all of them are.
Outcome ratio_to_floor(const Cells& cells);
/// The share of judged comparisons with this stack in which takt is ahead.
Outcome share_ahead(const Cells& cells, std::string_view stack);
/// By how much a message that nobody touches costs more when it is larger, at the worst N.
Outcome steepest_untouched(const Cells& cells, std::string_view stack);
/// What takt lost where it and the floor hold the rate.
Outcome lost_by_takt(const Cells& cells);
/// The share of this stack's cells of 1 MiB and many readers that lose messages or do not hold the rate.
Outcome share_overwhelmed(const Cells& cells, std::string_view stack);

}  // namespace takt::lab::comm
