// SPDX-License-Identifier: Apache-2.0
#include "takt/core/unnamed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "takt/core/error.hpp"

namespace takt {
namespace {

std::string fix_of(int error_number) {
  switch (error_number) {
    case EMFILE:
      return "raise the limit on open files of this process (ulimit -n)";
    case ENFILE:
      return "the whole system has no file left: raise fs.file-max or end a program";
    case ENOSPC:
      return "the file system is full: remove files, enlarge it (mount -o remount,size=... /dev/shm) or use "
             "fewer or smaller messages";
    case EDQUOT:
      return "the quota of this user is used up";
    case ENOMEM:
      return "raise the limits on memory (ulimit -v, vm.max_map_count) or use fewer or smaller messages";
    case EACCES:
    case EPERM:
      return "make the folder this user's own, or set TAKT_SHM_DIR to another";
    case ENOENT:
      return "the folder was removed: restart the program";
    case EOPNOTSUPP:
      return "use a folder on tmpfs, such as /dev/shm";
    default:
      return {};
  }
}

}  // namespace

void throw_system_error(const std::string& what, int error_number) {
  throw SetupError(what + ": " + std::generic_category().message(error_number), fix_of(error_number));
}

namespace unnamed_file {

int open(const std::filesystem::path& folder) noexcept {
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

bool give_name(int fd, const std::filesystem::path& path) noexcept {
  char self[32] = "/proc/self/fd/";
  char* end = self + sizeof "/proc/self/fd/" - 1;
  char digits[12];
  int count = 0;
  for (int rest = fd; count == 0 || rest > 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) *end++ = digits[--count];
  *end = '\0';
  return ::linkat(AT_FDCWD, self, AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace unnamed_file
}  // namespace takt
