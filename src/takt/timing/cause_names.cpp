// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/verdict.hpp"

namespace takt::timing {

namespace {

struct Names {
  const char* key;
  const char* group;
  const char* words;
};

constexpr std::array<Names, kCauses> kNames{{
    {"own_cpu", "application", "own time on the CPU"},
    {"own_off_cpu", "application", "own time off the CPU (slept or blocked)"},
    {"blocked_by", "application", "blocked by another activation"},
    {"late_trigger", "application", "late trigger from upstream"},
    {"preempted", "operating system", "preempted by another thread"},
    {"runqueue", "operating system", "queued for a CPU"},
    {"throttled", "operating system", "throttled"},
    {"page_fault", "operating system", "page faults"},
    {"stolen", "hardware and host", "stolen by the hypervisor"},
    {"interrupt", "hardware and host", "late wake-up (timer interrupt, idle exit or hypervisor)"},
    {"clock_stopped", "clock", "the clock stood still"},
    {"clock_jumped", "clock", "the clock jumped"},
    {"unknown", "unknown", "unknown"},
}};

const Names& names(Cause cause) noexcept { return kNames[static_cast<std::size_t>(cause)]; }

}  // namespace

const char* key(Cause cause) noexcept { return names(cause).key; }
const char* group(Cause cause) noexcept { return names(cause).group; }
const char* words(Cause cause) noexcept { return names(cause).words; }

}  // namespace takt::timing
