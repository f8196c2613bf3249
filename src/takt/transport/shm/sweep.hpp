// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "takt/transport/shm/domain.hpp"

namespace takt::shm {

struct Swept {
  std::uint32_t segments = 0;
  std::uint32_t leases = 0;
};

/// Removes from the domain's folder what dead processes left: their segments (whoever has one mapped keeps
/// it), then their leases. What belongs to another version of takt or is damaged is left alone. Any number of
/// processes may sweep at a time. May block and allocate.
Swept sweep(const Domain& domain);

}  // namespace takt::shm
