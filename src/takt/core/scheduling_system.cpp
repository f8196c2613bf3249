// SPDX-License-Identifier: Apache-2.0
#include "takt/core/scheduling_system.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace takt::system {
namespace {

int error_of(long result) noexcept { return result < 0 ? errno : 0; }

int set_attr(const SchedAttr& attr) { return error_of(::syscall(SYS_sched_setattr, 0, &attr, 0)); }

int get_attr(SchedAttr& attr) { return error_of(::syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0)); }

int set_affinity(const CpuMask& mask) {
  return error_of(::syscall(SYS_sched_setaffinity, 0, sizeof mask, mask.data()));
}

int get_affinity(CpuMask& mask) {
  mask.fill(0);
  return error_of(::syscall(SYS_sched_getaffinity, 0, sizeof mask, mask.data()));
}

int lock_memory(int flags) { return error_of(::mlockall(flags)); }

rlimit limit(int resource) {
  rlimit limit{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  return limit;
}

std::string read_file(const char* path) {
  std::ostringstream text;
  if (const std::ifstream file(path); file) text << file.rdbuf();
  return text.str();
}

}  // namespace

Calls& calls() noexcept {
  static Calls table{set_attr, get_attr, set_affinity, get_affinity, lock_memory, limit, read_file};
  return table;
}

}  // namespace takt::system
