// SPDX-License-Identifier: Apache-2.0
#include "lab/common/load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "lab/common/envelope.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"

namespace takt::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kFix =
    "install it (apt-get install stress-ng), or measure without load (--load none)";

std::string find_program(std::string_view name) {
  const char* path =
      std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody here changes the environment
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
  }
  return "";
}

/// A folder that exists, for the load's scratch files.
std::string temporary_folder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (!error) return folder.string();
  const char* wanted = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): see above
  throw CannotMeasure(fmt::format("the load has no folder for temporary files: {} is none",
                                  wanted != nullptr ? "TMPDIR=" + std::string(wanted) : "/tmp"),
                      "set TMPDIR to a folder that you may write to, or measure without load (--load none)");
}

/// Whether every core is busy, seen over a tenth of a second.
bool all_busy() {
  const auto before = read_cpu_ticks();
  std::this_thread::sleep_for(100ms);
  const auto usage = usage_between(before, read_cpu_ticks());
  return std::ranges::all_of(usage.cores, [](const CoreUsage& core) { return core.busy_pct >= 80; });
}

}  // namespace

Load::Load(LoadKind kind, Duration longest) : kind_(kind) {
  if (kind == LoadKind::none) return;
  const auto program = find_program("stress-ng");
  if (program.empty()) throw CannotMeasure("stress-ng is not installed", std::string(kFix));
  const auto cores = read_cpu_ticks().size();
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(longest).count();
  std::vector<std::string> words = {
      "stress-ng",       "--cpu",     std::to_string(cores),       "--cpu-method",
      "matrixprod",      "--timeout", fmt::format("{}s", seconds), "--temp-path",
      temporary_folder()};
  command_ = shell_line(words);
  words.front() = program;
  try {
    child_.emplace(words);
  } catch (const CannotMeasure& error) {
    throw CannotMeasure(error.what(), "or measure without load (--load none)");
  }
  const auto patience = std::chrono::steady_clock::now() + 5s;
  while (running() && !Interrupt::requested() && !all_busy()) {
    if (std::chrono::steady_clock::now() < patience) continue;
    break;  // a core that it cannot fill: the proof of the load will say so
  }
  if (!running()) {
    throw CannotMeasure(fmt::format("the load ended at once ({})", command_),
                        "run that command to see why, or measure without load (--load none)");
  }
}

bool Load::running() noexcept { return child_ && child_->running(); }

void Load::stop() noexcept {
  if (child_) child_->stop();
}

Duration Load::cpu_time() const noexcept { return child_ ? child_->cpu_time() : Duration::zero(); }

std::string load_fault(LoadKind kind, const CpuUsage& usage, bool still_running) {
  if (kind == LoadKind::none) return "";
  if (!still_running) return "the load ended before the measurement did";
  for (const auto& core : usage.cores) {
    if (core.busy_pct < kLoadedPct) {
      return fmt::format("core {} was busy for {:.1f} % of the time only, {:.0f} % are needed", core.cpu,
                         core.busy_pct, kLoadedPct);
    }
  }
  return usage.cores.empty() ? "no core could be watched" : "";
}

}  // namespace takt::lab
