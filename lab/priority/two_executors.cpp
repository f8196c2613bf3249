// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/two_executors.hpp"

#include "lab/common/threads.hpp"

namespace takt::lab::priority {

TwoExecutors::TwoExecutors(const std::shared_ptr<Context>& context, Scheduling scheduling_of_critical,
                           std::size_t critical_threads)
    : critical_({.scheduling = scheduling_of_critical,
                 .threads = critical_threads,
                 .name = "critical",
                 .context = context}),
      rest_({.name = "rest", .context = context}) {}

void TwoExecutors::spin() {
  SideThread critical_thread(
      "the critical executor's", [this] { critical_.spin(); }, [this] { rest_.cancel(); });
  try {
    rest_.spin();
  } catch (...) {
    critical_.cancel();
    throw;
  }
  critical_thread.join();
}

void TwoExecutors::cancel() noexcept {
  critical_.cancel();
  rest_.cancel();
}

}  // namespace takt::lab::priority
