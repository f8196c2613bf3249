// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "takt/transport/shm/endpoint.hpp"

namespace takt::shm {

struct Compatibility {
  std::string reason;  ///< empty: they match; else why not, in words
  explicit operator bool() const noexcept { return reason.empty(); }
};

/// Whether a subscription can be given a publisher's messages; the two are on one topic. Both ends decide by
/// this same rule, so both know of a refusal. Checked in this order, and the first fault is the reason: type
/// name, type hash (where both are known), reliability, durability, deadline (DDS's request against offer).
/// Allocates.
Compatibility compatible(const Endpoint& publisher, const Endpoint& subscription);

}  // namespace takt::shm
