// SPDX-License-Identifier: Apache-2.0
#include "takt/core/fork.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>

namespace takt {
namespace {

// Statically initialised: handlers run in every state of the process.
constinit std::atomic<std::uint32_t> fork_count{0};
constinit std::array<int, 64> guarded_fds = [] {
  std::array<int, 64> none{};
  none.fill(-1);
  return none;
}();
pthread_mutex_t fds_mutex = PTHREAD_MUTEX_INITIALIZER;  // guards guarded_fds; held across fork

void before_fork() { pthread_mutex_lock(&fds_mutex); }
void in_parent() { pthread_mutex_unlock(&fds_mutex); }

// Closing here does not release the parent's lock: that goes with the last descriptor, which is the parent's.
void in_child() {
  fork_count.fetch_add(1, std::memory_order_relaxed);
  for (auto& fd : guarded_fds) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  pthread_mutex_unlock(&fds_mutex);
}

void register_handlers() noexcept {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(before_fork, in_parent, in_child); });
}

}  // namespace

std::uint32_t ForkGuard::generation() noexcept {
  register_handlers();
  return fork_count.load(std::memory_order_relaxed);
}

void ForkGuard::lock() noexcept {
  register_handlers();
  pthread_mutex_lock(&fds_mutex);
}

void ForkGuard::unlock() noexcept { pthread_mutex_unlock(&fds_mutex); }

int ForkGuard::remember(int fd) noexcept {
  const auto place = std::ranges::find(guarded_fds, -1);
  if (place == guarded_fds.end()) {
    ::close(fd);
    errno = EMFILE;
    return -1;
  }
  return *place = fd;
}

void ForkGuard::close_guarded(int fd) noexcept {
  lock();
  const auto place = std::ranges::find(guarded_fds, fd);
  if (place != guarded_fds.end()) {  // not there: a fork's child has closed it already
    *place = -1;
    ::close(fd);
  }
  unlock();
}

}  // namespace takt
