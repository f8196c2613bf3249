// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "takt/core/scheduling.hpp"

/// Internal to core: why the kernel refused, as far as it can be found out, and what to change.
namespace takt::system {

struct Refusal {
  std::string what;
  std::string fix;
};

/// `error` is what sched_setattr gave for the calling thread.
Refusal explain_policy(const Scheduling& asked, int error);
/// `error` is what mlockall gave.
Refusal explain_memory_lock(int error);

}  // namespace takt::system
