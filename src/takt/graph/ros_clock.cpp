// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/ros_clock.hpp"

#include <utility>

namespace takt {

namespace {
constexpr std::uint32_t kBaseEpoch = 0xffff;
}  // namespace

RosClock::RosClock(std::shared_ptr<RosTime> time, std::shared_ptr<Clock> base)
    : time_(std::move(time)), base_(std::move(base)) {}

ClockKind RosClock::kind() const noexcept {
  return ros_time_is_active() ? ClockKind::simulated : base_->kind();
}

ClockReading RosClock::read(const TimeState& state) const noexcept {
  if (state.active) return {state.now, source_epoch(state), state.started};
  auto reading = base_->read();
  reading.epoch = source_epoch(state) | (reading.epoch & kBaseEpoch);
  return reading;
}

bool RosClock::started() const noexcept {
  const auto state = time_->state();
  return !state.active || state.started;
}

SteadyTime RosClock::when(ClockTime t) const noexcept {
  const auto left = t - base_->now();
  const auto now = time_->monotonic().steady_now();
  return left >= kNever - now ? kNever : now + left;
}

bool RosClock::wait_until_started(Duration timeout) {
  auto& monotonic = time_->monotonic();
  const auto now = monotonic.steady_now();
  const auto limit = timeout < Duration::zero() || timeout >= kNever - now ? kNever : now + timeout;
  for (;;) {
    const auto word = time_->word();
    if (started()) return true;
    if (time_->ended() || monotonic.steady_now() >= limit) return false;
    time_->sleep(word, ClockTime{Duration{1}}, limit);
  }
}

bool RosClock::sleep_until(ClockTime until) {
  const bool simulated = ros_time_is_active();
  const auto changes = time_->source_changes();
  for (;;) {
    const auto word = time_->word();
    const auto state = time_->state();
    if (time_->ended() || state.active != simulated || time_->source_changes() != changes) return false;
    if (read(state).now >= until) return true;
    if (simulated) {
      time_->sleep(word, until, kNever);
    } else {
      time_->sleep(word, ClockTime::max(), when(until));
    }
  }
}

bool RosClock::sleep_for(Duration d) {
  const auto now = this->now();
  return sleep_until(d >= ClockTime::max() - now ? ClockTime::max() : now + d);
}

namespace {

/// Keeps the handler in its clock's audience for as long as the user holds it.
struct Membership {
  std::shared_ptr<RosTime> time;
  std::shared_ptr<JumpHandler> handler;

  Membership(std::shared_ptr<RosTime> its_time, std::shared_ptr<JumpHandler> its_handler)
      : time(std::move(its_time)), handler(std::move(its_handler)) {
    time->add(handler);
  }
  ~Membership() {
    handler->end();
    time->remove(*handler);
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;
};

}  // namespace

JumpHandler::SharedPtr RosClock::create_jump_callback(JumpHandler::PreCallback pre,
                                                      JumpHandler::PostCallback post,
                                                      const JumpThreshold& threshold) {
  auto handler = std::make_shared<JumpHandler>(std::move(pre), std::move(post), threshold);
  auto membership = std::make_shared<Membership>(time_, handler);
  return {membership, handler.get()};
}

}  // namespace takt
