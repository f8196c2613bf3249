// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "takt/timing/section.hpp"

namespace takt::timing {

/// One section (its origin id) at which a chain may begin. Lists of these only grow, so that activations walk
/// them without a lock.
struct ChainStart {
  SectionId from;
  ChainStart* next;
};

/// A judged chain: the section that holds its rule and counters, and where it begins and ends by name.
struct ChainRule {
  ChainRule(Section* judged, std::string begin, std::string end)
      : chain(judged), from(std::move(begin)), to(std::move(end)) {}

  Section* chain;
  std::string from;
  std::string to;
  std::atomic<ChainStart*> starts{nullptr};
  bool begins_here = false;  ///< at a section of this process; guarded by the Monitor's registry

  /// Real-time: wait-free.
  bool begins_at(SectionId id) const noexcept {
    for (auto* s = starts.load(std::memory_order_acquire); s != nullptr; s = s->next) {
      if (s->from == id) return true;
    }
    return false;
  }
};

/// In the list of a section: that chain ends here.
struct ChainEnd {
  ChainRule* rule;
  ChainEnd* next;
};

}  // namespace takt::timing
