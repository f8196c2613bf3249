// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace takt {

class ExecutorCore;

/// Who runs in a mutually exclusive group: owned by compare-and-swap, wait-free. It outlives a move of the
/// group to another executor, so that a running activation still excludes the new executor's. Its memory
/// belongs to the context and is reused, never freed before it: a worker that is late may still look at it.
struct GroupState {
  bool try_own() noexcept {
    bool free = false;
    return busy.compare_exchange_strong(free, true);
  }
  void release() noexcept { busy.store(false, std::memory_order_release); }
  /// After release(), when the group has been taken away from `here` meanwhile: who has it now may have found
  /// it busy. The exchange orders the release before the look at `home`, as that one's own exchange on `busy`
  /// orders the opposite.
  ExecutorCore* moved_from(const ExecutorCore* here) noexcept {
    bool any = busy.load(std::memory_order_relaxed);
    while (!busy.compare_exchange_weak(any, any)) {
    }
    ExecutorCore* now = home.load();
    return now == here ? nullptr : now;
  }

  std::atomic<bool> busy{false};
  std::atomic<ExecutorCore*> home{nullptr};  ///< where it is attached now
};

}  // namespace takt
