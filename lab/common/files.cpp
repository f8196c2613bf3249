// SPDX-License-Identifier: Apache-2.0
#include "lab/common/files.hpp"

#include <cerrno>

#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {

std::ifstream open_if_there(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket) {
    throw CannotMeasure("cannot read " + path.string() + ": it is not a file",
                        "remove it, or name another folder");  // a pipe would be waited for, forever
  }
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
