// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/external.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "lab/common/console.hpp"
#include "takt/core/error.hpp"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> search_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (const auto self = fs::read_symlink("/proc/self/exe", error); !error)
    folders.push_back(self.parent_path());
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here sets a variable
  std::istringstream words(path != nullptr ? path : "");
  for (std::string folder; std::getline(words, folder, ':');)
    folders.emplace_back(folder.empty() ? "." : folder);
  return folders;
}

}  // namespace

std::optional<fs::path> find_external(const std::string& verb) {
  if (verb.empty() || verb.find('/') != std::string::npos) return std::nullopt;
  for (const auto& folder : search_folders()) {
    if (auto program = folder / ("takt-" + verb); is_program(program)) return program;
  }
  return std::nullopt;
}

void become(const fs::path& program, const std::vector<std::string>& words) {
  std::string name = program.string();
  std::vector<std::string> arguments = words;
  std::vector<char*> pointers{name.data()};
  for (auto& word : arguments) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  lab::restore_for_exec();
  execv(name.c_str(), pointers.data());
  throw SetupError("cannot start " + name + ": " + std::error_code(errno, std::generic_category()).message());
}

}  // namespace takt::cli
