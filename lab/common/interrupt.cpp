// SPDX-License-Identifier: Apache-2.0
#include "lab/common/interrupt.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "lab/common/threads.hpp"
#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab {
namespace {

constexpr std::uint32_t kRequested = 1;
constexpr std::uint32_t kNudge = 2;  // moves the word without a request, so that its waiters look again

constexpr std::array<int, 3> kEnding{SIGINT, SIGTERM, SIGHUP};

std::atomic<std::uint32_t> request_word{0};
std::atomic<bool> in_use{false};
std::array<std::atomic<bool>, kEnding.size()> handled{};
std::array<struct sigaction, kEnding.size()> former{};

/// Atomic, futex and signal() only: allowed in a handler. The second signal meets the default: the end.
extern "C" void on_signal(int) {
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    if (handled[i].load()) ::signal(kEnding[i], SIG_DFL);
  }
  Interrupt::request();
}

}  // namespace

Interrupt::Interrupt() {
  TAKT_CHECK(!in_use.exchange(true));
  request_word = 0;
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    sigaction(kEnding[i], nullptr, &former[i]);
    handled[i] = former[i].sa_handler != SIG_IGN;
  }
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int ending : kEnding) sigaddset(&action.sa_mask, ending);
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    if (handled[i]) sigaction(kEnding[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    if (handled[i].exchange(false)) sigaction(kEnding[i], &former[i], nullptr);
  }
  request_word = 0;
  in_use = false;
}

bool Interrupt::requested() noexcept {
  return (request_word.load(std::memory_order_acquire) & kRequested) != 0;
}

bool Interrupt::wait_until(SteadyTime deadline) noexcept {
  const auto& clock = SteadyClock::instance();
  for (;;) {
    const auto seen = request_word.load(std::memory_order_acquire);
    if ((seen & kRequested) != 0 || clock->steady_now() >= deadline) return requested();
    clock->wait(request_word, seen, deadline);
  }
}

void Interrupt::request() noexcept {
  request_word.fetch_or(kRequested, std::memory_order_release);
  futex::wake_all(request_word);
}

OnInterrupt::OnInterrupt(std::function<void()> action) {
  thread_ = start_thread("the one that waits for signals", [this, action = std::move(action)] {
    while (!over_.load()) {
      const auto seen = request_word.load(std::memory_order_acquire);
      if ((seen & kRequested) != 0) return action();
      if (!over_.load()) futex::wait(request_word, seen, kNever);
    }
  });
}

OnInterrupt::~OnInterrupt() {
  over_.store(true);
  request_word.fetch_add(kNudge);
  futex::wake_all(request_word);
  thread_.join();
}

}  // namespace takt::lab
