// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/clock_receiver.hpp"

#include <algorithm>
#include <utility>

#include "takt/core/log.hpp"

namespace takt {

namespace {
constexpr std::uint32_t kSecond = 1'000'000'000;
}  // namespace

ClockReceiver::ClockReceiver(std::shared_ptr<MonotonicClock> monotonic)
    : monotonic_(std::move(monotonic)),
      fed_(std::make_unique<Fed>()),
      since_(monotonic_->steady_now()),
      watched_(since_) {
  prepare_disposal();
}

template <class Change>
void ClockReceiver::change(Change what) {
  const std::lock_guard lock(mutex_);
  auto next = std::make_unique<Fed>();
  next->times = fed_.current().times;
  what(next->times);
  fed_.replace(std::move(next));
  fed_.collect();
}

void ClockReceiver::hears(const std::shared_ptr<SubscriptionHandle>& subscription) {
  const std::lock_guard lock(mutex_);
  subscription_ = subscription;
}

void ClockReceiver::feed(const std::shared_ptr<RosTime>& time, const std::string& node) {
  change([&](auto& times) { times.push_back({time, node, monotonic_->steady_now()}); });
}

void ClockReceiver::leave(const RosTime& time) {
  change(
      [&](auto& times) { std::erase_if(times, [&](const auto& one) { return one.time.get() == &time; }); });
}

std::size_t ClockReceiver::publishers() noexcept {
  const std::lock_guard lock(mutex_);
  const auto subscription = subscription_.lock();
  return subscription ? subscription->get_publisher_count() : 0;
}

void ClockReceiver::received(std::int32_t sec, std::uint32_t nanosec, const MessageInfo& info) noexcept {
  if (nanosec >= kSecond || sec < 0) {
    if (!std::exchange(told_of_bad_, true)) {
      log::write(log::Level::error, "clock",
                 "/clock carries sec = {}, nanosec = {}, which is no time: ignored", sec, nanosec);
    }
    return;
  }
  look_at_publisher(info);
  const bool next = info.sequence == std::exchange(sequence_, info.sequence) + 1;
  const auto now = monotonic_->steady_now();
  last_ns_.store(as_ns(now));
  const ClockTime sample{std::chrono::seconds{sec} + Duration{nanosec}};
  const auto fed = fed_.read();
  for (const auto& one : fed->times) one.time->set(sample, now, next);
}

/// One that comes back after another has sent: both are at work.
void ClockReceiver::look_at_publisher(const MessageInfo& info) noexcept {
  if (info.publisher == publisher_) return;
  if (info.publisher == former_publisher_ && !std::exchange(told_of_two_, true)) {
    log::write(
        log::Level::warn, "clock",
        "{} publishers send /clock: time jumps back and forth; stop all but one (`takt topic info /clock` "
        "names them)",
        publishers());
  }
  former_publisher_ = std::exchange(publisher_, info.publisher);
  sequence_ = kNoSequence;  // of another publisher: not the next one
}

bool ClockReceiver::watch() {
  const auto last = last_ns_.load();  // before the time is read
  const auto now = monotonic_->steady_now();
  // A process that was stopped itself has not listened: it is given the time anew.
  if (now - std::exchange(watched_, now) > kSilence / 2) since_ = now;
  const auto heard = last == 0 ? SteadyTime::min() : SteadyTime{Duration{last}};
  const bool hope = still_hope(heard, now);
  if (last == 0) return hope;
  if (now - std::max(since_, heard) < kSilence) {
    told_of_silence_ = false;
    return true;
  }
  if (!std::exchange(told_of_silence_, true)) say_silent();
  return !stand() || hope;  // the next message wakes the house anyway
}

/// Whether somebody waits for a first sample and has not been told that none comes. Who joins a clock that
/// has fallen silent hears nothing either, whatever others have heard before.
bool ClockReceiver::still_hope(SteadyTime last, SteadyTime now) {
  const auto fed = fed_.read();
  bool hope = false;
  for (const auto& one : fed->times) {
    if (one.since <= std::max(last, told_of_none_)) continue;
    if (now - std::max(since_, one.since) < kPatience) {
      hope = true;
      continue;
    }
    told_of_none_ = now;  // it says so for all
    log::write(
        log::Level::error, "clock",
        "no /clock received within {} s: {} and all other nodes on simulated time wait; start a simulator or "
        "`takt clock` as the same user and with the same ROS_DOMAIN_ID, or set use_sim_time to false",
        kPatience / std::chrono::seconds{1}, one.node);
  }
  return hope;
}

void ClockReceiver::say_silent() {
  log::write(log::Level::warn, "clock", "no /clock for {} s ({}): simulated time stands",
             kSilence / std::chrono::seconds{1},
             publishers() == 0 ? "its publisher is gone" : "its publisher is silent");
}

bool ClockReceiver::stand() noexcept {
  const auto fed = fed_.read();
  bool all = true;
  for (const auto& one : fed->times) all = one.time->silence() && all;
  return all;
}

}  // namespace takt
