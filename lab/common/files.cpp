// SPDX-License-Identifier: Apache-2.0
#include "lab/common/files.hpp"

#include <cerrno>

#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {

std::ifstream open_if_there(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file && (errno == EMFILE || errno == ENFILE)) {
    const int error = errno;
    throw CannotMeasure("cannot read " + path.string() + ": " + words_of_errno(error),
                        fix_of_shortage(error));
  }
  return file;
}

}  // namespace takt::lab
