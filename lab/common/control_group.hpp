// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace takt::lab {

/// A control group that this process makes, goes into and takes away again. Set-up: may block, may allocate.
class ControlGroup {
 public:
  /// `members` is the file that lists who is in it: "tasks" (threads), "cgroup.procs" (processes). `home` is
  /// the folder of the group that its members come from, and go back to. In a made-up tree the kernel does
  /// not fill the folder and does not empty it. Errors: CannotMeasure with the reason.
  ControlGroup(std::filesystem::path folder, std::filesystem::path home, std::string members,
               bool made_up = false);
  /// Its members go home, and it is removed.
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  const std::filesystem::path& folder() const noexcept { return folder_; }
  /// Errors: CannotMeasure that names the file and the reason.
  void set(std::string_view file, std::string_view value) const;
  /// Moves a thread or process in. Errors: CannotMeasure.
  void take(pid_t id) const { set(members_, std::to_string(id)); }
  /// Moves one out; false when that is not possible.
  bool give_back(pid_t id) const noexcept;

 private:
  void empty() const;

  std::filesystem::path folder_;
  std::filesystem::path home_;
  std::string members_;
  bool made_up_;
};

/// "takt-lab-<pid>": the name of a group of this process.
std::string control_group_name();
/// Removes the groups below `parent` that processes left which were killed.
void remove_stale_control_groups(const std::filesystem::path& parent) noexcept;

}  // namespace takt::lab
