// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "takt/core/clock.hpp"
#include "takt/core/timer_grid.hpp"
#include "takt/graph/callback_group.hpp"
#include "takt/timing/deadline.hpp"

namespace takt {

class TimerExecutable;

/// How a timer runs and is judged.
struct TimerOptions {
  Deadline deadline{};  ///< default: its period; Deadline::none(): not judged
  std::string name{};   ///< default: "timer_<n>"; verdicts show "<node>/<name>"
  OverrunPolicy overrun = OverrunPolicy::skip;
  CallbackGroup::SharedPtr group{};  ///< default: the node's default group
  bool autostart = true;             ///< false: born cancelled, never fires before reset()
  std::shared_ptr<Clock>
      clock{};  ///< default: simulated time, if the node is on it, else the monotonic clock
  bool allow_zero_period = false;  ///< a period of zero is always ready; refused on a real-time thread
};

/// What a timer's callback may ask for: void() or void(const TimerInfo&).
struct TimerInfo {
  ClockTime expected;        ///< the grid slot
  ClockTime actual;          ///< the start, on the timer's clock
  std::int64_t skipped = 0;  ///< slots dropped just before this activation
};

/// A periodic callback on a grid. Dropping the last SharedPtr stops it. Functions: any thread, also inside
/// its own callback.
class Timer {
 public:
  using SharedPtr = std::shared_ptr<Timer>;
  using Callback = std::function<void(const TimerInfo&)>;

  /// Node::create_timer makes it.
  Timer(const std::shared_ptr<Context>& context, const std::string& node, Duration period, Callback callback,
        const TimerOptions& options, CallbackGroup::SharedPtr group);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// No activation starts afterwards; one that is pending is dropped. Real-time: wait-free.
  void cancel() noexcept;
  bool is_canceled() const noexcept;
  /// The next slot is one period from now; un-cancels. Real-time: lock-free; a wake when a worker sleeps.
  void reset() noexcept;
  /// Changes the period; the pending slot stays where it is. Errors: as create_timer. The default deadline
  /// stays as it was.
  void set_period(Duration period);
  Duration period() const noexcept;
  Duration time_until_trigger()
      const noexcept;  ///< maximum when cancelled, or before simulated time starts; zero or less when due
  bool is_ready() const noexcept;
  const timing::Section& section() const noexcept;

 private:
  CallbackGroup::SharedPtr group_;
  std::shared_ptr<TimerExecutable> executable_;
};

}  // namespace takt
