// SPDX-License-Identifier: Apache-2.0
#include "lab/common/load.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
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
#include "lab/common/shortage.hpp"

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

/// Runs in the forked child: async-signal-safe calls only.
[[noreturn]] void become(const char* program, char* const* arguments, pid_t parent) {
  setpgid(0, 0);                      // Ctrl-C on the terminal is the parent's to handle
  prctl(PR_SET_PDEATHSIG, SIGTERM);   // stress-ng takes its workers with it
  if (getppid() != parent) _exit(1);  // the parent was gone before that took hold
  sigset_t none;
  sigemptyset(&none);
  for (const int ignored : {SIGPIPE, SIGTERM}) signal(ignored, SIG_DFL);  // else it stays so beyond exec
  sigprocmask(SIG_SETMASK, &none, nullptr);  // NOLINT(concurrency-mt-unsafe): a forked child has one thread
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  execv(program, arguments);
  _exit(127);
}

pid_t start(const std::string& program, std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(program.c_str(), arguments.data(), parent);
  if (child > 0) setpgid(child, child);  // whoever comes first
  return child;
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
  const std::vector<std::string> words = {
      "stress-ng",       "--cpu",     std::to_string(cores),       "--cpu-method",
      "matrixprod",      "--timeout", fmt::format("{}s", seconds), "--temp-path",
      temporary_folder()};
  command_ = shell_line(words);
  child_ = start(program, words);
  if (child_ < 0) {
    const int error = errno;
    const auto fix = fix_of_shortage(error);
    throw CannotMeasure("the process stress-ng could not be started: " + words_of_errno(error),
                        (fix.empty() ? "" : fix + ", or ") + "measure without load (--load none)");
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

Load::~Load() { stop(); }

bool Load::running() noexcept { return child_ > 0 && !reap(WNOHANG); }

/// True when it has ended.
bool Load::reap(int options) noexcept {
  rusage usage{};
  if (wait4(child_, nullptr, options, &usage) != child_) return false;
  child_ = -1;
  for (const auto& time : {usage.ru_utime, usage.ru_stime}) {
    cpu_time_ += std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  }
  return true;
}

void Load::stop() noexcept {
  if (!running()) return;
  kill(-child_, SIGTERM);
  for (int i = 0; i < 100 && running(); ++i) std::this_thread::sleep_for(20ms);
  if (child_ <= 0) return;
  kill(-child_, SIGKILL);
  reap(0);
}

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
