// SPDX-License-Identifier: Apache-2.0
#include "lab/common/shortage.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace takt::lab {
namespace {

std::string soft_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

}  // namespace

std::string words_of_errno(int error) { return std::error_code(error, std::generic_category()).message(); }

std::string fix_of_shortage(int error) {
  switch (error) {
    case EMFILE:
      return fmt::format("raise the limit of open files (ulimit -n, now {})", soft_limit(RLIMIT_NOFILE));
    case ENFILE:
      return "raise the system's limit of open files (sysctl fs.file-max)";
    case EAGAIN:
      return fmt::format(
          "raise the limit of this user's processes and threads (ulimit -u, now {}; a container may have a "
          "pids limit of its own)",
          soft_limit(RLIMIT_NPROC));
    case ENOMEM:
      return "free some memory";
    case ENOSPC:
      return "make room on that disk";
    case EDQUOT:
      return "make room in this user's quota of the disk";
    case EFBIG:
      return fmt::format("raise the limit of the size of a file (ulimit -f, now {} bytes)",
                         soft_limit(RLIMIT_FSIZE));
    default:
      return "";
  }
}

std::string words_of(const std::exception& error) {
  const auto* of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system == nullptr || of_system->code() != std::errc::resource_unavailable_try_again)
    return error.what();
  return fmt::format("a thread could not be started: {}; {}", of_system->code().message(),
                     fix_of_shortage(EAGAIN));
}

}  // namespace takt::lab
