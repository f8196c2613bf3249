// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/two_executors.hpp"

#include <exception>
#include <thread>
#include <utility>

namespace takt::lab::priority {

TwoExecutors::TwoExecutors(const std::shared_ptr<Context>& context, Scheduling scheduling_of_critical,
                           std::size_t critical_threads)
    : critical_({.scheduling = std::move(scheduling_of_critical),
                 .threads = critical_threads,
                 .name = "critical",
                 .context = context}),
      rest_({.name = "rest", .context = context}) {}

void TwoExecutors::spin() {
  std::exception_ptr failure;
  std::thread critical_thread([&] {
    try {
      critical_.spin();
    } catch (...) {
      failure = std::current_exception();
      rest_.cancel();
    }
  });
  try {
    rest_.spin();
  } catch (...) {
    critical_.cancel();
    critical_thread.join();
    throw;
  }
  critical_thread.join();
  if (failure) std::rethrow_exception(failure);
}

void TwoExecutors::cancel() noexcept {
  critical_.cancel();
  rest_.cancel();
}

}  // namespace takt::lab::priority
