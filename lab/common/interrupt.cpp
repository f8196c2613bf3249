// SPDX-License-Identifier: Apache-2.0
#include "lab/common/interrupt.hpp"

#include <atomic>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab {
namespace {

std::atomic<std::uint32_t> wanted{0};
std::atomic<bool> in_use{false};

extern "C" void on_signal(int) { Interrupt::request(); }  // atomic and futex only: allowed in a handler

}  // namespace

Interrupt::Interrupt() {
  TAKT_CHECK(!in_use.exchange(true));
  wanted = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags =
      static_cast<int>(SA_RESETHAND | SA_RESTART);  // the second signal meets the default: the end
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  in_use = false;
}

bool Interrupt::requested() noexcept { return wanted.load(std::memory_order_acquire) != 0; }

bool Interrupt::wait_until(SteadyTime deadline) noexcept {
  const auto& clock = SteadyClock::instance();
  while (!requested() && clock->steady_now() < deadline) clock->wait(wanted, 0, deadline);
  return requested();
}

void Interrupt::request() noexcept {
  wanted.store(1, std::memory_order_release);
  futex::wake_all(wanted);
}

}  // namespace takt::lab
