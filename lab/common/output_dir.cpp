// SPDX-License-Identifier: Apache-2.0
#include "lab/common/output_dir.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>

#include "lab/common/envelope.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".part";  // what a file is called until it is whole

[[noreturn]] void refuse(const fs::path& path, int error) {
  const auto shortage = fix_of_shortage(error);
  throw CannotMeasure(fmt::format("cannot write to {}: {}", path.string(), words_of_errno(error)),
                      shortage.empty() ? "name a folder that you may write to with --out DIR"
                                       : shortage + ", or name another folder with --out DIR");
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) refuse(path, error.value());
  if (!fs::is_directory(path, error)) refuse(path, ENOTDIR);
}

/// Made by this call, and by nobody else.
fs::path make_own_folder(std::string_view experiment) {
  const auto name = fmt::format("reports/{}-{}", experiment, stamp(std::chrono::system_clock::now()));
  make_folder("reports");
  for (int n = 1;; ++n) {
    fs::path path = n == 1 ? name : fmt::format("{}-{}", name, n);
    std::error_code error;
    if (fs::create_directory(path, error)) return path;
    if (error && error != std::errc::file_exists) refuse(path, error.value());
  }
}

/// 0, or the errno of what failed.
int write_whole(const fs::path& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  file.close();
  if (file) return 0;
  return errno != 0 ? errno : EIO;
}

void prove_writable(const fs::path& folder) {
  const auto probe = folder / fmt::format(".takt-probe-{}", getpid());
  const int error = write_whole(probe, "probe");
  std::error_code ignored;
  fs::remove(probe, ignored);
  if (error != 0) refuse(folder, error);
}

void remove_earlier(const fs::path& folder, const std::vector<std::string>& own_files) {
  for (const auto& name : own_files) {
    for (const auto& path : {folder / name, folder / (name + std::string(kUnfinished))}) {
      std::error_code error;
      fs::remove(path, error);
      if (error) refuse(path, error.value());
    }
  }
}

}  // namespace

OutputDir::OutputDir(const std::string& wanted, std::string_view experiment,
                     const std::vector<std::string>& own_files) {
  if (wanted.empty()) {
    path_ = make_own_folder(experiment);
  } else {
    path_ = wanted;
    make_folder(path_);
  }
  prove_writable(path_);
  remove_earlier(path_, own_files);
}

void OutputDir::write(std::string_view file, std::string_view text) const {
  const auto target = path_ / file;
  const fs::path unfinished = target.string() + std::string(kUnfinished);
  int error = write_whole(unfinished, text);
  std::error_code failure;
  if (error == 0) {
    fs::rename(unfinished, target, failure);
    error = failure.value();
  }
  if (error == 0) return;
  fs::remove(unfinished, failure);
  refuse(target, error);
}

}  // namespace takt::lab
