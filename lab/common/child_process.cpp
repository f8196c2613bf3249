// SPDX-License-Identifier: Apache-2.0
#include "lab/common/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"

extern char** environ;

namespace takt::lab {
namespace {

using namespace std::chrono_literals;

/// What the forked child needs, prepared before: it may not allocate.
struct Prepared {
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string errors;
};

bool names(const std::string& variable, const std::string& name) {
  return variable.compare(0, name.size(), name) == 0 && variable.size() > name.size() &&
         variable[name.size()] == '=';
}

std::vector<std::string> variables_with(const ChildOptions& options) {
  std::vector<std::string> variables;
  for (char** own = environ; own != nullptr && *own != nullptr; ++own) {
    const std::string variable = *own;
    bool replaced = false;
    for (const auto& [name, value] : options.environment) replaced = replaced || names(variable, name);
    if (!replaced) variables.push_back(variable);
  }
  for (const auto& [name, value] : options.environment) {
    std::string variable = name;
    variables.push_back(variable.append("=").append(value));
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Runs in the forked child: async-signal-safe calls only.
[[noreturn]] void become(const Prepared& what, pid_t parent) {
  setpgid(0, 0);                      // Ctrl-C on the terminal is the parent's to handle
  prctl(PR_SET_PDEATHSIG, SIGTERM);   // a child with children of its own takes them with it
  if (getppid() != parent) _exit(1);  // the parent was gone before that took hold
  sigset_t none;
  sigemptyset(&none);
  // else they stay ignored beyond exec
  for (const int ignored : {SIGPIPE, SIGTERM}) signal(ignored, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);  // NOLINT(concurrency-mt-unsafe): a forked child has one thread
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  if (!what.errors.empty()) {
    const int file = open(what.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) dup2(file, STDERR_FILENO);
  }
  execve(what.arguments.front(), what.arguments.data(), what.environment.data());
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> words, const ChildOptions& options) {
  Prepared what{.words = std::move(words),
                .variables = variables_with(options),
                .arguments = {},
                .environment = {},
                .errors = options.errors.string()};
  what.arguments = pointers_to(what.words);
  what.environment = pointers_to(what.variables);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(what, parent);
  if (pid_ < 0) {
    const int error = errno;
    throw CannotMeasure(
        fmt::format("the process {} could not be started: {}", what.words.front(), words_of_errno(error)),
        fix_of_shortage(error));
  }
  setpgid(pid_, pid_);  // whoever comes first
}

ChildProcess::~ChildProcess() { stop(); }

/// True when it has ended.
bool ChildProcess::reap(int options) noexcept {
  rusage usage{};
  if (wait4(pid_, &status_, options, &usage) != pid_) return false;
  ended_ = true;
  for (const auto& time : {usage.ru_utime, usage.ru_stime}) {
    cpu_time_ += std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  }
  return true;
}

bool ChildProcess::running() noexcept { return !ended_ && !reap(WNOHANG); }

void ChildProcess::stop(Duration patience) noexcept {
  if (!running()) return;
  stopped_ = true;
  kill(-pid_, SIGTERM);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (running() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(10ms);
  if (ended_) return;
  kill(-pid_, SIGKILL);
  reap(0);
}

bool ChildProcess::ended_normally() const noexcept {
  if (!ended_) return false;
  if (WIFEXITED(status_)) return WEXITSTATUS(status_) == 0;
  return stopped_ && WTERMSIG(status_) == SIGTERM;
}

std::string ChildProcess::ending() const {
  if (!ended_) return "still running";
  if (WIFEXITED(status_)) return fmt::format("exit code {}", WEXITSTATUS(status_));
  const int number = WTERMSIG(status_);
  return fmt::format("signal {} ({})", number, sigdescr_np(number));
}

}  // namespace takt::lab
