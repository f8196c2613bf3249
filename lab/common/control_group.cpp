// SPDX-License-Identifier: Apache-2.0
#include "lab/common/control_group.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/files.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::string_view kGroupName = "takt-lab-";
constexpr const char* kNoGroupFix =
    "run it as root, or measure without a group of its own (no --cpu-quota, no --memory)";

/// A file of the kernel is written whole or not at all. Returns 0 or errno.
int write_whole(const fs::path& path, std::string_view text) noexcept {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return errno;
  const auto written = ::write(file, text.data(), text.size());
  const int error = written == static_cast<ssize_t>(text.size()) ? 0 : errno;
  ::close(file);
  return error;
}

[[noreturn]] void refuse_group(const std::string& what, int error) {
  throw CannotMeasure(what + ": " + words_of_errno(error), kNoGroupFix);
}

}  // namespace

ControlGroup::ControlGroup(fs::path folder, fs::path home, std::string members, bool made_up)
    : folder_(std::move(folder)), home_(std::move(home)), members_(std::move(members)), made_up_(made_up) {
  std::error_code error;
  if (!fs::create_directory(folder_, error) && error)
    refuse_group("a control group cannot be made (" + folder_.string() + ")", error.value());
}

ControlGroup::~ControlGroup() {
  std::error_code ignored;
  if (made_up_) {
    empty();
    fs::remove_all(folder_, ignored);
    return;
  }
  // A thread that has just ended is a member for a moment yet.
  for (int i = 0; i < 100; ++i) {
    empty();
    if (fs::remove(folder_, ignored) || !fs::exists(folder_, ignored)) return;
    std::this_thread::sleep_for(10ms);
  }
}

void ControlGroup::set(std::string_view file, std::string_view value) const {
  if (const int error = write_whole(folder_ / file, value); error != 0) {
    refuse_group(fmt::format("the control group does not take {} = {} ({})", file, value, folder_.string()),
                 error);
  }
}

bool ControlGroup::give_back(pid_t id) const noexcept {
  return write_whole(home_ / members_, std::to_string(id)) == 0;
}

void ControlGroup::empty() const {
  auto file = open_if_there(folder_ / members_);
  pid_t id = 0;
  while (file >> id) give_back(id);
}

std::string control_group_name() { return fmt::format("{}{}", kGroupName, ::getpid()); }

void remove_stale_control_groups(const fs::path& parent) noexcept {
  std::error_code error;
  for (auto entry = fs::directory_iterator(parent, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with(kGroupName)) continue;
    const pid_t owner = std::atoi(name.c_str() + kGroupName.size());  // NOLINT(cert-err34-c): 0 is no owner
    std::error_code ignored;
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove(entry->path(), ignored);
  }
}

}  // namespace takt::lab
