// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "takt/core/clock.hpp"
#include "takt/graph/snapshot_cell.hpp"
#include "takt/graph/time_jump.hpp"
#include "takt/graph/time_state.hpp"

namespace takt {

/// What has happened to ROS time.
struct TimeEvent {
  enum class Kind : std::uint8_t {
    joined,  ///< the listener hears from now on
    sample,  ///< simulated time has started or moved on
    stands,  ///< it does not move on any more
    back,    ///< it jumped back
    source,  ///< it was activated or deactivated
  };
  Kind kind;
  TimeState before, after;
};

/// Acts when ROS time moves: a timer. Called by the thread that has the news, one event after the other, when
/// the new time is visible already.
class TimeListener {
 public:
  TimeListener() = default;
  virtual ~TimeListener() = default;
  TimeListener(const TimeListener&) = delete;
  TimeListener& operator=(const TimeListener&) = delete;
  /// Real-time: must be lock-free; a futex wake.
  virtual void time_changed(const TimeEvent& event) noexcept = 0;
};

/// The ROS time of a node: the last sample of /clock while simulated time is active, and who has to hear of
/// it. Rules: ros2/rcl time.c, ros2/rclcpp clock.cpp and time_source.cpp, ros2/design 130_ros_time.
class RosTime {
 public:
  /// `monotonic` is what its sleepers wait on.
  explicit RosTime(std::shared_ptr<MonotonicClock> monotonic);
  RosTime(const RosTime&) = delete;
  RosTime& operator=(const RosTime&) = delete;

  /// Real-time: lock-free.
  TimeState state() const noexcept { return cell_.read(); }
  MonotonicClock& monotonic() const noexcept { return *monotonic_; }

  /// Errors: SetupError from inside a jump callback, which must not change the source of its own clock.
  void refuse_in_jump_callback() const;
  /// Changes the source. Nothing if it is that already. Errors: SetupError from inside a jump callback. May
  /// block.
  void set_active(bool active);
  /// A sample of /clock that arrived at `arrival`; `next` to the one before: none was lost in between.
  /// Ignored while it is not active. The same stamp twice means that the simulation stands, and wakes nobody.
  /// Allocates nothing; waits only for set-up calls of this class and for jump callbacks.
  void set(ClockTime sample, SteadyTime arrival, bool next) noexcept;
  /// No sample has come for long: as if the last one had come again. Waits only for who joins or leaves:
  /// false, and nothing is done, while time is being set or a jump callback runs.
  bool silence() noexcept;
  /// The context is shut down: every sleep ends.
  void end() noexcept;
  bool ended() const noexcept { return ended_.load(); }
  /// How often the source has changed. Real-time: wait-free.
  std::uint32_t source_changes() const noexcept { return source_changes_.load(); }

  /// May block, may allocate; waits for no jump callback, and may be called from one. A listener hears
  /// `joined` before all else, and nothing once it is removed.
  void add(std::shared_ptr<TimeListener> listener);
  void remove(const TimeListener& listener);
  void add(std::shared_ptr<JumpHandler> handler);
  void remove(const JumpHandler& handler);

  /// For those that sleep: moves at a change of the source and, while somebody sleeps, at a backward jump and
  /// the samples from the earliest time slept for on.
  std::uint32_t word() const noexcept { return word_.load(); }
  /// Sleeps until the word has moved from `seen`, at the latest at `limit` (monotonic) or when simulated time
  /// reaches `until`, as far as it is active. May end early.
  void sleep(std::uint32_t seen, ClockTime until, SteadyTime limit) noexcept;

 private:
  struct Audience : Disposable {
    std::vector<std::shared_ptr<TimeListener>> listeners;
    std::vector<std::shared_ptr<JumpHandler>> handlers;
  };
  class Writing;

  bool writing_here() const noexcept;
  void move_to(ClockTime sample, SteadyTime arrival, bool next) noexcept;
  template <class Change>
  void change_audience(Change change);
  void publish(TimeEvent::Kind kind, const TimeState& before, const TimeState& after,
               const TimeJump* jump) noexcept;
  void tell(const TimeEvent& event) noexcept;
  void wake_sleepers(const TimeEvent& event) noexcept;

  const std::shared_ptr<MonotonicClock> monotonic_;
  TimeCell cell_;
  std::mutex mutex_;  // one writer at a time, also while jump callbacks run; guards last_step_
  std::atomic<std::thread::id> writer_{};
  // The innermost: no jump callback runs under it, so that one may wait for a thread that joins or leaves.
  // Guards the writing of cell_ and what audience_ is.
  std::mutex audience_mutex_;
  SnapshotCell<Audience> audience_;
  Duration last_step_{};
  std::atomic<bool> ended_{false};
  std::atomic<std::uint32_t> source_changes_{0};
  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<std::int64_t> earliest_sleep_ns_{INT64_MAX};  // simulated
};

}  // namespace takt
