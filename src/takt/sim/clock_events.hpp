// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "takt/core/bounded_queue.hpp"
#include "takt/core/time.hpp"

namespace takt::sim {

/// What the log of a clock says of its run.
struct ClockEvent {
  enum class Kind : std::uint8_t { sample, gap };
  Kind kind = Kind::sample;
  SteadyTime at{};  ///< when simulated time was published; of a gap: the publish that ends it
  ClockTime sim{};
  Duration gap{};  ///< since the publish before
};

/// Finds them in the publishes of the pacing thread (add), and holds them for an ordinary one (take).
class ClockEvents {
 public:
  static constexpr Duration kSamplePeriod = std::chrono::milliseconds{100};

  explicit ClockEvents(std::uint32_t room) : queue_(room, WhenFull::refuse) {}

  /// `wall_step`: what has passed between this publish and the one before, had both been in time; zero: flat
  /// out. Real-time: lock-free, no allocation.
  void add(SteadyTime at, ClockTime sim, Duration wall_step) noexcept {
    if (!last_ || at - last_sample_ >= kSamplePeriod) {
      push({ClockEvent::Kind::sample, at, sim, {}});
      last_sample_ = at;
    }
    if (last_ && wall_step != Duration::zero() && at - *last_ > 2 * wall_step)
      push({ClockEvent::Kind::gap, at, sim, at - *last_});
    last_ = at;
  }

  std::optional<ClockEvent> take() noexcept { return queue_.pop(); }
  /// Found no room.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  void push(ClockEvent&& event) noexcept {
    // NOLINTNEXTLINE(performance-move-const-arg): the queue takes what is given away
    if (queue_.push(std::move(event)) == PushResult::refused) lost_.fetch_add(1, std::memory_order_relaxed);
  }

  BoundedQueue<ClockEvent> queue_;
  std::optional<SteadyTime> last_;
  SteadyTime last_sample_{};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace takt::sim
