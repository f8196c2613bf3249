// SPDX-License-Identifier: Apache-2.0
#include "lab/common/output_dir.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <system_error>

#include "lab/common/envelope.hpp"
#include "lab/common/errors.hpp"

namespace takt::lab {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw CannotMeasure(fmt::format("cannot write to {}: {}", path.string(), why),
                      "name a folder that you may write to with --out DIR");
}

}  // namespace

OutputDir::OutputDir(const std::string& wanted, std::string_view experiment)
    : path_(wanted.empty() ? fmt::format("reports/{}-{}", experiment, stamp(std::chrono::system_clock::now()))
                           : wanted) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) refuse(path_, error.message());
  if (!std::filesystem::is_directory(path_)) refuse(path_, "it is not a folder");
  const auto probe = path_ / fmt::format(".takt-probe-{}", getpid());
  errno = 0;
  std::ofstream file(probe);
  if (!(file << "probe" << std::flush))
    refuse(path_, std::error_code(errno, std::generic_category()).message());
  file.close();
  std::filesystem::remove(probe, error);
}

void OutputDir::write(std::string_view file, std::string_view text) const {
  const auto target = path_ / file;
  errno = 0;
  std::ofstream out(target, std::ios::binary);
  if (!(out << text << std::flush)) refuse(target, std::error_code(errno, std::generic_category()).message());
}

}  // namespace takt::lab
