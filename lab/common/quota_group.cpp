// SPDX-License-Identifier: Apache-2.0
#include "lab/common/quota_group.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "lab/common/cgroup.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/files.hpp"
#include "lab/common/threads.hpp"

namespace takt::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoLimitsFix =
    "measure without --cpu-quota and --memory, or in a container that has the limits";

pid_t this_thread_id() noexcept { return static_cast<pid_t>(::syscall(SYS_gettid)); }

bool lists(const fs::path& file, const std::string& word) {
  auto words = open_if_there(file);
  for (std::string one; words >> one;) {
    if (one == word) return true;
  }
  return false;
}

/// Version 2: whether groups below `folder` get these controllers, or can be made to.
bool hands_on(const fs::path& folder, const GroupLimits& limits, bool top) {
  for (const auto& [wanted, controller] :
       {std::pair(limits.cpus.has_value(), "cpu"), std::pair(limits.memory.has_value(), "memory")}) {
    if (!wanted || lists(folder / "cgroup.subtree_control", controller)) continue;
    if (!top || !lists(folder / "cgroup.controllers", controller)) return false;
    std::ofstream(folder / "cgroup.subtree_control") << "+" << controller << std::flush;
    if (!lists(folder / "cgroup.subtree_control", controller)) return false;
  }
  return true;
}

/// Version 2: where a group with these controllers can be made: beside the own one, or above. Only the top
/// group may have both processes and groups below it.
std::optional<fs::path> place_for(const fs::path& own, const GroupLimits& limits) {
  for (fs::path folder = own; fs::exists(folder / "cgroup.procs"); folder = folder.parent_path()) {
    const bool top = !fs::exists(folder.parent_path() / "cgroup.procs");
    if (hands_on(folder, limits, top)) return folder;
    if (top) break;
  }
  return std::nullopt;
}

std::string words_of_limits(const GroupLimits& limits, int version) {
  std::string words = fmt::format("a control group of version {}", version);
  if (limits.cpus) words += fmt::format(", {:g} CPUs", *limits.cpus);
  if (limits.memory) words += fmt::format(", {} MiB", *limits.memory >> 20U);
  return words;
}

}  // namespace

std::int64_t quota_us(double cpus) noexcept {
  return std::max<std::int64_t>(1000, std::llround(cpus * static_cast<double>(kQuotaPeriodUs)));
}

QuotaGroup::QuotaGroup(const GroupLimits& limits, const fs::path& root) {
  const bool made_up = root != "/";
  const auto cpu = cgroup_folder(root, "cpu");
  version_ = cpu && fs::exists(*cpu / "tasks") ? 1 : 2;
  description_ = words_of_limits(limits, version_);
  if (version_ == 1) {
    make_version_1(limits, root, made_up);
  } else {
    make_version_2(limits, root, made_up);
  }
}

QuotaGroup::~QuotaGroup() = default;

void QuotaGroup::make_version_1(const GroupLimits& limits, const fs::path& root, bool made_up) {
  const auto make = [&](const char* controller, const char* members) {
    const auto home = cgroup_folder(root, controller);
    if (!home)
      throw CannotMeasure(fmt::format("control groups have no controller '{}' here", controller),
                          kNoLimitsFix);
    remove_stale_control_groups(*home);
    return std::make_unique<ControlGroup>(*home / control_group_name(), *home, members, made_up);
  };
  if (limits.memory) {
    memory_ = make("memory", "cgroup.procs");
    memory_->set("memory.limit_in_bytes", std::to_string(*limits.memory));
    memory_->take(::getpid());
  }
  if (!limits.cpus) return;
  const auto accounting = cgroup_folder(root, "cpuacct");
  if (accounting && *accounting != *cgroup_folder(root, "cpu")) accounting_ = make("cpuacct", "tasks");
  cpu_ = make("cpu", "tasks");
  cpu_->set("cpu.cfs_period_us", std::to_string(kQuotaPeriodUs));
  cpu_->set("cpu.cfs_quota_us", std::to_string(quota_us(*limits.cpus)));
  if (accounting_) accounting_->take(this_thread_id());
  cpu_->take(this_thread_id());
}

void QuotaGroup::make_version_2(const GroupLimits& limits, const fs::path& root, bool made_up) {
  const auto own = cgroup_folder(root, "");
  if (!own || !fs::exists(*own)) throw CannotMeasure("there are no control groups here", kNoLimitsFix);
  const auto place = place_for(*own, limits);
  if (!place) {
    throw CannotMeasure(
        "no control group above this process hands on the controllers that the limits need "
        "(cgroup.subtree_control)",
        std::string("run it as root; ") + kNoLimitsFix);
  }
  remove_stale_control_groups(*place);
  cpu_ = std::make_unique<ControlGroup>(*place / control_group_name(), *own, "cgroup.procs", made_up);
  if (limits.cpus) cpu_->set("cpu.max", fmt::format("{} {}", quota_us(*limits.cpus), kQuotaPeriodUs));
  if (limits.memory) cpu_->set("memory.max", std::to_string(*limits.memory));
  cpu_->take(::getpid());
}

bool QuotaGroup::leave() const noexcept {
  if (version_ != 1) return false;
  const bool left = !cpu_ || cpu_->give_back(this_thread_id());
  return left && (!accounting_ || accounting_->give_back(this_thread_id()));
}

void check_fifo_in(const GroupLimits& limits, const fs::path& root) {
  if (!limits.cpus) return;
  const auto own = cgroup_folder(root, "cpu");
  if (!own || !fs::exists(*own / "cpu.rt_runtime_us")) return;
  throw CannotMeasure(
      "the kernel refuses SCHED_FIFO to a thread in a CPU group of version 1 (EPERM) until "
      "cpu.rt_runtime_us is set there, and a thread that then has it is not held to the quota",
      "leave out --cpu-quota or --scheduling fifo");
}

Hog::Hog() {
  thread_ = start_thread("the one that uses the quota up", [this] {
    pthread_setname_np(pthread_self(), "hog");
    while (!over_.load(std::memory_order_relaxed)) {
    }
  });
}

Hog::~Hog() {
  over_.store(true);
  thread_.join();
}

}  // namespace takt::lab
