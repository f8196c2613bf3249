// SPDX-License-Identifier: Apache-2.0
#include "lab/common/private_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>

#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderName = "takt-lab.";

fs::path place_in_memory() {
  std::error_code error;
  if (::access("/dev/shm", W_OK | X_OK) == 0) return "/dev/shm";
  const auto temporary = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : temporary;
}

bool belongs_to_this_user(const fs::path& folder) {
  struct stat facts {};
  return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid();
}

/// "takt-lab.<pid>.<purpose>.XXXXXX" of a process that is gone.
bool is_stale(const fs::path& folder) {
  const auto name = folder.filename().string();
  if (!name.starts_with(kFolderName)) return false;
  const pid_t owner = std::atoi(name.c_str() + kFolderName.size());  // NOLINT(cert-err34-c): 0 is no owner
  return owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH && belongs_to_this_user(folder);
}

void remove_stale_ones(const fs::path& parent) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(parent, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (is_stale(entry->path())) fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

PrivateFolder::PrivateFolder(std::string_view purpose) {
  const auto parent = place_in_memory();
  remove_stale_ones(parent);
  std::string pattern = (parent / fmt::format("{}{}.{}.XXXXXX", kFolderName, ::getpid(), purpose)).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    const int error = errno;
    throw CannotMeasure(
        fmt::format("no private folder can be made in {}: {}", parent.string(), words_of_errno(error)),
        "free space there, or set TMPDIR to a folder that you may write to");
  }
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace takt::lab
