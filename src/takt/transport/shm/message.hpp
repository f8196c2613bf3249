// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "takt/core/time.hpp"

namespace takt::shm {

/// A message definition's hash, as ROS 2 computes it (RIHS01), the 32 bytes. All zero: not known.
using TypeHash = std::array<std::byte, 32>;
inline constexpr std::size_t kLead =
    4;  ///< zero bytes before the encapsulation header: the body is 8-aligned

/// What travels with a message besides its bytes. The sequence is given at commit.
struct MessageHeader {
  SteadyTime published{};       ///< when publish() was called
  std::uint64_t origin = 0;     ///< where the chain began; 0: not known
  SteadyTime origin_time{};     ///< and when
  std::uint64_t publisher = 0;  ///< who wrote it first, unique within the domain
};

}  // namespace takt::shm
