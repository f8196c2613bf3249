// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/signals.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <mutex>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/core/fork.hpp"
#include "takt/core/futex.hpp"

namespace takt::signals {

namespace {

using Word = std::atomic<std::uint32_t>;

// A signal handler can be given no argument: these tables are the one place where takt keeps process-wide
// state for it.
constexpr std::size_t kContexts = 64;
constexpr std::size_t kBells = 1024;
std::array<std::atomic<Word*>, kContexts> g_contexts{};
std::array<std::atomic<Word*>, kBells> g_bells{};
std::array<std::atomic<Word*>, kBells> g_host_bells{};
std::atomic<std::uint32_t> g_generation{0};  // a child of fork() has no mapping of the host's bells
std::atomic<int> g_last{0};
std::atomic<bool> g_armed{false};  // the handler is installed: the first signal puts the default back
std::atomic<int> g_inside{0};      // handlers running: a word is not freed under one

std::mutex g_mutex;  // guards the next two
int g_users = 0;
struct sigaction g_former[2];
constexpr int kSignals[2] = {SIGINT, SIGTERM};

template <std::size_t N>
bool put(std::array<std::atomic<Word*>, N>& table, Word& word) noexcept {
  for (auto& entry : table) {
    Word* empty = nullptr;
    if (entry.compare_exchange_strong(empty, &word)) return true;
  }
  return false;
}

template <std::size_t N>
void drop(std::array<std::atomic<Word*>, N>& table, Word& word) noexcept {
  for (auto& entry : table) {
    Word* expected = &word;
    if (entry.compare_exchange_strong(expected, nullptr)) break;
  }
  while (g_inside.load() != 0) std::this_thread::yield();
}

template <std::size_t N>
void move_all(const std::array<std::atomic<Word*>, N>& table) noexcept {
  for (const auto& entry : table) {
    if (Word* word = entry.load()) {
      word->fetch_add(1);
      futex::wake_all(*word);
    }
  }
}

void move_host_bells() noexcept {
  if (ForkGuard::generation() != g_generation.load()) return;
  for (const auto& entry : g_host_bells) {
    if (Word* word = entry.load()) {
      word->fetch_add(1);
      futex::wake_shared(*word, std::numeric_limits<int>::max());
    }
  }
}

void handler(int signal) {
  const int saved_errno = errno;
  for (const int s : kSignals) ::signal(s, SIG_DFL);
  g_inside.fetch_add(1);
  g_armed.store(false);
  g_last.store(signal);
  move_all(g_contexts);
  move_all(g_bells);
  move_host_bells();
  g_inside.fetch_sub(1);
  errno = saved_errno;
}

}  // namespace

void handle_for(Word& word) {
  const std::lock_guard lock(g_mutex);
  if (!put(g_contexts, word)) {
    throw SetupError("more than 64 contexts handle signals", "make the others with handle_signals = false");
  }
  const bool first = g_users++ == 0;
  if (g_armed.exchange(true)) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < 2; ++i) ::sigaction(kSignals[i], &action, first ? &g_former[i] : nullptr);
}

void stop_handling_for(Word& word) noexcept {
  const std::lock_guard lock(g_mutex);
  drop(g_contexts, word);
  if (--g_users > 0) return;
  g_armed.store(false);
  for (int i = 0; i < 2; ++i) ::sigaction(kSignals[i], &g_former[i], nullptr);
}

void add_bell(Word& bell, Bell kind) {
  const auto generation = ForkGuard::generation();
  if (g_generation.exchange(generation) != generation) {
    for (auto& parents : g_host_bells) parents.store(nullptr);
  }
  if (!put(kind == Bell::of_the_process ? g_bells : g_host_bells, bell)) {
    throw SetupError("more than 1024 executors in one process", "reuse executors");
  }
}
void remove_bell(Word& bell) noexcept {
  drop(g_bells, bell);
  drop(g_host_bells, bell);
}
int last_signal() noexcept { return g_last.load(); }

}  // namespace takt::signals
