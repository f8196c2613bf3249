// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace takt {

class ExecutorCore;

/// Who runs in a mutually exclusive group: owned by compare-and-swap, wait-free. It outlives a move of the
/// group to another executor, so that a running activation still excludes the new executor's.
struct GroupState {
  bool try_own() noexcept {
    bool free = false;
    return busy.compare_exchange_strong(free, true);
  }
  void release() noexcept { busy.store(false); }

  std::atomic<bool> busy{false};
  std::atomic<ExecutorCore*> home{nullptr};  ///< where it is attached now
};

}  // namespace takt
