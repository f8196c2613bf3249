// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/leftovers.hpp"

#include <filesystem>
#include <system_error>

namespace takt::lab::comm {
namespace {

namespace fs = std::filesystem;

std::set<std::string> files_of_fastdds() {
  std::set<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/dev/shm", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    for (const auto* start : {"fastrtps_", "fast_datasharing_", "sem.fastrtps_"}) {
      if (name.starts_with(start)) names.insert(name);
    }
  }
  return names;
}

}  // namespace

Leftovers::Leftovers() : before_(files_of_fastdds()) {}

Leftovers::~Leftovers() {
  if (!remove_) return;
  for (const auto& name : files_of_fastdds()) {
    std::error_code ignored;
    if (!before_.contains(name)) fs::remove(fs::path("/dev/shm") / name, ignored);
  }
}

}  // namespace takt::lab::comm
