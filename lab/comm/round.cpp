// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/round.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>
#include <system_error>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"

extern char** environ;

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

const std::vector<StackName> kStacks = {
    {"takt", "takt-comm-takt"},       {"takt-poll", "takt-comm-takt", true},
    {"futex", "takt-comm-futex"},     {"futex-bells", "takt-comm-futex-bells"},
    {"iceoryx", "takt-comm-iceoryx"}, {"iceoryx-poll", "takt-comm-iceoryx", true}};

fs::path beside_this(const std::string& program) {
  return fs::read_symlink("/proc/self/exe").parent_path() / program;
}

/// The Stage of one round, in memory that has a descriptor but no name.
class SharedStage {
 public:
  SharedStage() : fd_(::memfd_create("takt-comm", 0)) {
    if (fd_ < 0 || ::ftruncate(fd_, sizeof(Stage)) != 0) fail();
    memory_ = ::mmap(nullptr, sizeof(Stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, 0);
    if (memory_ == MAP_FAILED) fail();
  }
  ~SharedStage() {
    ::munmap(memory_, sizeof(Stage));
    ::close(fd_);
  }
  SharedStage(const SharedStage&) = delete;
  SharedStage& operator=(const SharedStage&) = delete;
  Stage* operator->() const noexcept { return static_cast<Stage*>(memory_); }
  int descriptor() const noexcept { return fd_; }

 private:
  [[noreturn]] void fail() const {
    throw SetupError(fmt::format("no {} MiB of memory for a measurement", sizeof(Stage) >> 20U), "free some");
  }
  int fd_;
  void* memory_ = nullptr;
};

/// The processes of a round; none outlives it.
class Processes {
 public:
  ~Processes() {
    for (const auto pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  pid_t start(const std::string& program, const std::vector<std::string>& words) {
    const auto path = beside_this(program).string();
    std::vector<char*> arguments{const_cast<char*>(path.c_str())};
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = 0;
    if (const int error = ::posix_spawn(&pid, path.c_str(), nullptr, nullptr, arguments.data(), environ)) {
      throw SetupError(fmt::format("{} cannot be started: {}", path, std::generic_category().message(error)));
    }
    pids_.push_back(pid);
    return pid;
  }
  /// True when it has ended well; SetupError when it has not.
  bool ended(pid_t pid, const std::string& what) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) != pid) return false;
    std::erase(pids_, pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw SetupError(what + " failed", "see its message");
    return true;
  }

 private:
  std::vector<pid_t> pids_;
};

void wake_floors(SharedStage& stage) {
  const auto all = std::numeric_limits<int>::max();
  stage->broadcast.value.fetch_add(1);
  futex::wake_shared(stage->broadcast.value, all);
  for (auto& bell : stage->bells) {
    bell.value.fetch_add(1);
    futex::wake_shared(bell.value, all);
  }
}

RoundResult results_of(const SharedStage& stage) {
  const auto& cell = stage->cell;
  RoundResult out;
  for (std::size_t i = 0; i < cell.readers; ++i) {
    const auto* first = stage->latency_us[i].data();
    out.latency_us.insert(out.latency_us.end(), first, first + stage->counts[i].load());
  }
  out.publish_us.assign(stage->publish_us.begin(), stage->publish_us.begin() + cell.samples);
  out.delivered = static_cast<double>(out.latency_us.size()) / (double{1} * cell.samples * cell.readers);
  return out;
}

}  // namespace

std::vector<std::string> all_stacks() {
  std::vector<std::string> names;
  for (const auto& stack : kStacks) names.push_back(stack.name);
  return names;
}

std::vector<StackName> stacks_of(const std::vector<std::string>& names) {
  std::vector<StackName> out;
  for (const auto& name : names) {
    const auto at = std::ranges::find(kStacks, name, &StackName::name);
    if (at == kStacks.end()) {
      throw SetupError("no stack is called '" + name + "'",
                       fmt::format("use {}", fmt::join(all_stacks(), ", ")));
    }
    if (fs::exists(beside_this(at->program))) out.push_back(*at);
  }
  return out;
}

RoundResult run_round(const StackName& stack, Cell cell) {
  cell.poll = stack.poll;
  std::string folder = "/dev/shm/takt-comm-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) throw SetupError("no folder in /dev/shm", "mount a tmpfs there");
  struct Remove {
    const std::string& path;
    ~Remove() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } const remove{folder};
  SharedStage stage;
  stage->cell = cell;
  std::ranges::copy(folder, stage->folder.begin());
  const auto descriptor = std::to_string(stage.descriptor());
  Processes processes;
  std::vector<pid_t> readers;
  for (std::uint32_t i = 0; i < cell.readers; ++i) {
    readers.push_back(processes.start(stack.program, {"reader", std::to_string(i), descriptor}));
  }
  const auto sender = processes.start(stack.program, {"sender", descriptor});
  const auto patience = 30s + std::chrono::nanoseconds{cell.period_ns} * (2 * cell.samples + cell.warmup);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!processes.ended(sender, stack.name + "'s sender")) {
    if (std::chrono::steady_clock::now() > end)
      throw SetupError(stack.name + " did not finish a round in time");
    std::this_thread::sleep_for(20ms);
  }
  std::this_thread::sleep_for(20ms);
  stage->over.store(true);
  auto result = results_of(stage);
  wake_floors(stage);
  std::this_thread::sleep_for(60ms);  // they end by themselves; who does not is killed
  return result;
}

}  // namespace takt::lab::comm
