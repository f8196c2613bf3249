// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/processes.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <thread>

#include "lab/common/shortage.hpp"
#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"

extern char** environ;

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

std::string how_it_ended(const std::string& what, int status) {
  if (WIFSIGNALED(status)) return fmt::format("{} was ended by signal {}", what, WTERMSIG(status));
  return fmt::format("{} ended with exit code {}", what, WEXITSTATUS(status));
}

}  // namespace

ProcessUsage usage_of(pid_t pid) {
  ProcessUsage usage;
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &time) == 0)
    usage.cpu = std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (file >> all >> resident)
    usage.rss_kib = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
  return usage;
}

Processes::~Processes() {
  signal_all(SIGKILL);
  for (const auto& process : running_) ::waitpid(process.pid, nullptr, 0);
}

pid_t Processes::start(const std::string& program, const std::vector<std::string>& words) {
  auto all = words;
  all.insert(all.begin(), program);
  std::vector<char*> arguments;
  for (auto& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  if (const int error = ::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments.data(), environ)) {
    throw SetupError(fmt::format("{} cannot be started: {}", program, words_of_errno(error)),
                     fix_of_shortage(error));
  }
  running_.push_back({pid, words.front() == "reader" ? "its reader " + words[1] : "its sender"});
  return pid;
}

std::string Processes::failure() {
  for (auto process = running_.begin(); process != running_.end();) {
    int status = 0;
    if (::waitpid(process->pid, &status, WNOHANG) != process->pid) {
      ++process;
      continue;
    }
    const auto what = process->what;
    process = running_.erase(process);
    if (status != 0) return how_it_ended(what, status);
  }
  return "";
}

void Processes::signal_all(int signal) noexcept {
  for (const auto& process : running_) ::kill(process.pid, signal);
}

void Processes::wait_for_all(Duration patience) {
  const auto end = SteadyClock::instance()->steady_now() + patience;
  while (!running_.empty() && SteadyClock::instance()->steady_now() < end) {
    failure();
    if (!running_.empty()) std::this_thread::sleep_for(5ms);
  }
}

}  // namespace takt::lab::comm
