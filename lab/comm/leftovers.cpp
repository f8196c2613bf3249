// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/leftovers.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>
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

/// Names of files in /dev/shm that some process has mapped.
std::set<std::string> names_in_use() {
  constexpr std::string_view kFolder = "/dev/shm/";
  std::set<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/proc", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::ifstream maps(entry->path() / "maps");  // of what is no process, or another user's, nothing is read
    for (std::string line; std::getline(maps, line);) {
      if (const auto at = line.find(kFolder); at != std::string::npos)
        names.insert(line.substr(at + kFolder.size()));
    }
  }
  return names;
}

/// A lock file lies beside what it guards and is not mapped itself.
std::string guarded_by(const std::string& name) {
  const bool lock = name.ends_with("_el") || name.ends_with("_sl");
  return lock ? name.substr(0, name.size() - 3) : name;
}

}  // namespace

Leftovers::Leftovers() : before_(files_of_fastdds()) {}

Leftovers::~Leftovers() {
  if (!remove_) return;
  const auto in_use = names_in_use();  // by somebody else, who started meanwhile
  for (const auto& name : files_of_fastdds()) {
    std::error_code ignored;
    if (!before_.contains(name) && !in_use.contains(guarded_by(name)))
      fs::remove(fs::path("/dev/shm") / name, ignored);
  }
}

}  // namespace takt::lab::comm
