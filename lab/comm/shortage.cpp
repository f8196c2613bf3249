// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "lab/comm/round.hpp"
#include "lab/comm/runner.hpp"

namespace takt::lab::comm {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kOfOneProcess = 12 * kMiB;  // what the heaviest stack's costs beside its messages

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kib = 0;
  for (std::string unit; file >> key >> kib; std::getline(file, unit)) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t shared_memory_left() {
  struct statvfs disk {};
  if (::statvfs("/dev/shm", &disk) != 0) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

std::uint64_t limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return RLIM_INFINITY;
  return limit.rlim_cur;
}

}  // namespace

std::string shortage_for(const Round& round) {
  const std::uint64_t ends = std::uint64_t{round.readers} + 1;
  // A stack that copies may have a whole history for each reader.
  const std::uint64_t messages = (ends * kDepth + 32) * round.size;
  const std::uint64_t memory = Stage::bytes_for(round) + messages + ends * kOfOneProcess;
  if (const auto left = available_memory(); memory > left)
    return fmt::format("needs about {} MiB of memory, {} are available", memory / kMiB, left / kMiB);
  if (const auto left = shared_memory_left(); messages > left)
    return fmt::format("needs about {} MiB in /dev/shm, {} are left", messages / kMiB, left / kMiB);
  if (const auto files = limit_of(RLIMIT_NOFILE); round.readers + 64 > files)
    return fmt::format("needs about {} open files, the limit is {} (ulimit -n)", round.readers + 64, files);
  if (const auto most = limit_of(RLIMIT_NPROC); ends > most)
    return fmt::format("needs {} processes, the limit is {} (ulimit -u)", ends, most);
  return "";
}

}  // namespace takt::lab::comm
