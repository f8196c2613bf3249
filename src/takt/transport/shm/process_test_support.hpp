// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <thread>
#include <utility>

namespace takt::shm {

/// TAKT_TEST_LONG=1 asks for as many repetitions as are promised, not as many as a test run has time for.
/// Under a sanitizer, which makes a new process expensive, a third of the few has to do.
inline int repetitions(int few, int many) {
#if defined(TAKT_ASAN) || defined(TAKT_TSAN)
  few = (few + 2) / 3;
#endif
  return std::getenv("TAKT_TEST_LONG") != nullptr ? many : few;  // NOLINT(concurrency-mt-unsafe)
}

/// What processes of a test tell each other: numbers in memory that forks share.
class Board {
 public:
  Board()
      : words_(static_cast<Words*>(
            ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    new (words_) Words();
  }
  ~Board() { ::munmap(words_, sizeof(Words)); }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  std::atomic<std::uint64_t>& operator[](std::size_t i) const { return (*words_)[i]; }

  /// Waits until a number is at least so much. False when it took longer than anything can take.
  bool reaches(std::size_t i, std::uint64_t least) const {
    for (int ms = 0; ms < 30000; ++ms) {
      if ((*this)[i].load() >= least) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return false;
  }

 private:
  using Words = std::array<std::atomic<std::uint64_t>, 16>;
  Words* words_;
};

/// A process that runs `body` and exits with what it returns; killed at the end of its scope.
class Child {
 public:
  template <class Body>
  explicit Child(Body body) : pid_(::fork()) {
    if (pid_ != 0) return;
    int code = 100;
    try {
      code = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
    }
    ::_exit(code);
  }
  ~Child() { kill(); }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }
  /// The exit code; -1 when a signal ended it.
  int wait() {
    if (pid_ <= 0) return -1;
    int status = 0;
    while (::waitpid(pid_, &status, 0) != pid_) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

inline std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}
inline std::ptrdiff_t open_descriptors() { return files_in("/proc/self/fd"); }

}  // namespace takt::shm
