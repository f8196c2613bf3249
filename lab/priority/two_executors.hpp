// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "takt/takt.hpp"

namespace takt::lab::priority {

/// What all three designs have in common: critical callbacks run on an executor of their own, whose threads
/// may have a real-time policy, and everything else on one ordinary thread.
class TwoExecutors {
 public:
  TwoExecutors(const std::shared_ptr<Context>& context, Scheduling scheduling_of_critical,
               std::size_t critical_threads);

  Executor& critical() noexcept { return critical_; }
  Executor& rest() noexcept { return rest_; }

  /// Spins the critical one on a thread of its own and the rest on this one, until cancel().
  /// Errors: what either of them ends with; the other is then cancelled.
  void spin();
  void cancel() noexcept;

 private:
  Executor critical_;
  Executor rest_;
};

}  // namespace takt::lab::priority
