// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/time_state.hpp"

namespace takt {

namespace {

constexpr unsigned kEpochShift = 8;
constexpr std::uint64_t kActive = 1, kStarted = 2, kStands = 4;

// Acquire and release on every word, instead of fences, which the thread sanitizer does not know: who reads a
// word of a later state sees that the version has moved on.
constexpr auto kGet = std::memory_order_acquire;
constexpr auto kPut = std::memory_order_release;

}  // namespace

TimeState TimeCell::read() const noexcept {
  for (;;) {
    const auto version = version_.load();
    const auto& words = states_[version % kStates];
    const auto flags = words.flags_and_epoch.load(kGet);
    const TimeState state{.active = (flags & kActive) != 0,
                          .started = (flags & kStarted) != 0,
                          .stands = (flags & kStands) != 0,
                          .epoch = static_cast<std::uint32_t>(flags >> kEpochShift),
                          .stops = words.stops.load(kGet),
                          .now = clock_time(words.now.load(kGet)),
                          .arrival = SteadyTime{Duration{words.arrival.load(kGet)}},
                          .jumped_from = clock_time(words.jumped_from.load(kGet)),
                          .jumped_to = clock_time(words.jumped_to.load(kGet))};
    if (version_.load() - version < kStates - 1) return state;
  }
}

void TimeCell::write(const TimeState& state) noexcept {
  const auto version = version_.load(std::memory_order_relaxed) + 1;
  auto& words = states_[version % kStates];
  words.flags_and_epoch.store((state.active ? kActive : 0) | (state.started ? kStarted : 0) |
                                  (state.stands ? kStands : 0) |
                                  static_cast<std::uint64_t>(state.epoch) << kEpochShift,
                              kPut);
  words.stops.store(state.stops, kPut);
  words.now.store(as_ns(state.now), kPut);
  words.arrival.store(as_ns(state.arrival), kPut);
  words.jumped_from.store(as_ns(state.jumped_from), kPut);
  words.jumped_to.store(as_ns(state.jumped_to), kPut);
  version_.store(version);
}

}  // namespace takt
