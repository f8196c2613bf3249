// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/round.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <limits>
#include <system_error>
#include <thread>

#include "lab/comm/processes.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/shortage.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

SteadyTime now() { return SteadyClock::instance()->steady_now(); }

/// A folder in memory for a stack that needs one, removed with this object.
class MemoryFolder {
 public:
  MemoryFolder() {
    if (::mkdtemp(path_.data()) == nullptr) {
      const int error = errno;
      throw CannotMeasure("no folder can be made in /dev/shm: " + words_of_errno(error),
                          fix_of_shortage(error));
    }
  }
  ~MemoryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_ = "/dev/shm/takt-comm-XXXXXX";
};

/// The Stage of one round, in memory that has a descriptor but no name.
class SharedStage {
 public:
  explicit SharedStage(const Round& round)
      : bytes_(Stage::bytes_for(round)), fd_(::memfd_create("takt-comm", 0)) {
    if (fd_ < 0 || ::ftruncate(fd_, static_cast<off_t>(bytes_)) != 0) fail();
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, 0);
    if (memory_ == MAP_FAILED) fail();
    (*this)->round = round;
  }
  ~SharedStage() {
    ::munmap(memory_, bytes_);
    ::close(fd_);
  }
  SharedStage(const SharedStage&) = delete;
  SharedStage& operator=(const SharedStage&) = delete;
  Stage* operator->() const noexcept { return static_cast<Stage*>(memory_); }
  Stage& operator*() const noexcept { return *static_cast<Stage*>(memory_); }
  int descriptor() const noexcept { return fd_; }

 private:
  [[noreturn]] void fail() const {
    const int error = errno;
    throw CannotMeasure(
        fmt::format("no {} MiB of memory for a measurement: {}", bytes_ >> 20U, words_of_errno(error)),
        fix_of_shortage(error));
  }
  std::size_t bytes_;
  int fd_;
  void* memory_ = nullptr;
};

void wake_floors(Stage& stage) {
  const auto all = std::numeric_limits<int>::max();
  stage.broadcast.value.fetch_add(1);
  futex::wake_shared(stage.broadcast.value, all);
  for (std::size_t i = 0; i < stage.round.readers; ++i) {
    stage.bells[i].value.fetch_add(1);
    futex::wake_shared(stage.bells[i].value, all);
  }
}

std::uint64_t received_so_far(const Stage& stage) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < stage.round.readers; ++i) count += stage.counts[i].load();
  return count;
}

/// Runs one round and looks after its processes.
class RoundRun {
 public:
  RoundRun(const StackFacts& stack, const Round& round) : stage_(round), program_(runner_of(stack).string()) {
    std::ranges::copy(folder_.path(), stage_->folder.begin());
  }

  RoundResult run() {
    const auto descriptor = std::to_string(stage_.descriptor());
    try {
      for (std::uint32_t i = 0; i < stage_->round.readers; ++i)
        readers_.push_back(processes_.start(program_, {"reader", std::to_string(i), descriptor}));
      sender_ = processes_.start(program_, {"sender", descriptor});
    } catch (const SetupError& error) {
      result_.unsupported = error.what();
      return std::move(result_);
    }
    const auto set_up = 20s + 100ms * stage_->round.readers;
    const auto sending = Duration{stage_->round.period_ns} * (stage_->round.samples + stage_->round.warmup);
    if (wait_for(Stage::kMeasuring, set_up + sending, "its ends did not find each other")) {
      take_usage(-1);
      if (wait_for(Stage::kSent, sending + 20s, "its sender did not come to an end")) {
        drain();
        take_usage(1);
        collect();
      }
    }
    end();
    return std::move(result_);
  }

 private:
  /// False when it will not come to that: the result says why.
  bool wait_for(Stage::Phase phase, Duration patience, const char* otherwise) {
    const auto end = now() + patience;
    for (;;) {
      const auto seen = stage_->phase.load();
      if (seen >= phase) return true;
      if (stop_waiting(end, otherwise)) return false;
      futex::wait_shared(stage_->phase, seen, now() + 50ms);
    }
  }

  bool stop_waiting(SteadyTime end, const char* otherwise) {
    result_.interrupted = Interrupt::requested();
    auto failure = processes_.failure();
    if (stage_->reason_taken.load() && !failure.empty()) {
      std::this_thread::sleep_for(5ms);  // its words are whole
      result_.unsupported = stage_->reason.data();
    } else if (!failure.empty()) {
      result_.failed = std::move(failure);
    } else if (now() > end) {
      result_.failed = otherwise;
    }
    return !result_.ran();
  }

  /// Messages may still be on their way.
  void drain() {
    const auto all = std::uint64_t{stage_->sent.load()} * stage_->round.readers;
    const auto end = now() + 2s;
    auto known = received_so_far(*stage_);
    for (auto quiet_since = now(); known < all && now() < end && now() < quiet_since + 100ms;) {
      std::this_thread::sleep_for(5ms);
      const auto count = received_so_far(*stage_);
      if (count != known) quiet_since = now();
      known = count;
    }
    if (auto failure = processes_.failure(); !failure.empty()) result_.failed = std::move(failure);
  }

  void take_usage(int sign) {
    const auto sender = usage_of(sender_);
    result_.publisher_cpu += sign * sender.cpu;
    result_.rss_kib = sender.rss_kib;
    for (const auto pid : readers_) {
      const auto reader = usage_of(pid);
      result_.subscriber_cpu += sign * reader.cpu;
      result_.rss_kib += reader.rss_kib;
    }
  }

  void collect() {
    result_.sent = stage_->sent.load();
    result_.sending = Duration{stage_->sending_ns.load()};
    const auto costs = stage_->publish_us().first(result_.sent);
    result_.publish_us.assign(costs.begin(), costs.end());
    for (std::size_t i = 0; i < stage_->round.readers; ++i) {
      const auto row = stage_->latency_us(i).first(stage_->counts[i].load());
      result_.latency_us.emplace_back(row.begin(), row.end());
    }
  }

  void end() {
    stage_->over.store(true);
    wake_floors(*stage_);
    processes_.wait_for_all(result_.ran() ? 3s : 100ms);  // who does not end is killed
  }

  MemoryFolder folder_;
  SharedStage stage_;
  std::string program_;
  Processes processes_;
  pid_t sender_ = 0;
  std::vector<pid_t> readers_;
  RoundResult result_;
};

}  // namespace

std::uint64_t RoundResult::received() const {
  std::uint64_t count = 0;
  for (const auto& reader : latency_us) count += reader.size();
  return count;
}

RoundResult run_round(const StackFacts& stack, Round round) {
  round.poll = stack.poll;
  return RoundRun(stack, round).run();
}

}  // namespace takt::lab::comm
