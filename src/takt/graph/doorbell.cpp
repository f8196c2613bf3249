// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/doorbell.hpp"

#include <utility>

#include "takt/core/futex.hpp"
#include "takt/graph/signals.hpp"

namespace takt {

Doorbell::Doorbell(MonotonicClock& clock, std::unique_ptr<shm::Bells::Bell> row)
    : clock_(clock), row_(std::move(row)), word_(row_ ? &row_->word() : &own_) {
  signals::add_bell(*word_, row_ ? signals::Bell::of_the_host : signals::Bell::of_the_process);
}

Doorbell::~Doorbell() { signals::remove_bell(*word_); }

void Doorbell::wake_one() noexcept {
  if (row_) return row_->wake_one();
  futex::wake(own_, 1);
}

void Doorbell::wake_all() noexcept {
  if (row_) return row_->wake_all();
  futex::wake_all(own_);
}

WaitResult Doorbell::wait(std::uint32_t seen, SteadyTime deadline) noexcept {
  return row_ ? row_->wait(seen, deadline) : clock_.wait(own_, seen, deadline);
}

void Doorbell::set_priority(int priority) noexcept {
  if (row_) row_->set_priority(priority);
}

}  // namespace takt
