// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt/graph/message_info.hpp"
#include "takt/graph/ros_time.hpp"
#include "takt/graph/subscription.hpp"

namespace takt {

/// What is done with a message of /clock: the ROS time of all nodes that are fed is set. It says what a user
/// would otherwise have to guess: that no clock comes, that it is silent, that there are two.
class ClockReceiver {
 public:
  /// Without a first sample for so long, an error is logged; without a further one, a warning, and time is
  /// said to stand.
  static constexpr Duration kPatience = std::chrono::seconds{15};
  static constexpr Duration kSilence = std::chrono::seconds{2};

  explicit ClockReceiver(std::shared_ptr<MonotonicClock> monotonic);
  void hears(const std::shared_ptr<SubscriptionHandle>& subscription);

  /// May block, may allocate.
  void feed(const std::shared_ptr<RosTime>& time, const std::string& node);
  void leave(const RosTime& time);

  /// In the thread that receives. What is no time is ignored and said once.
  void received(std::int32_t sec, std::uint32_t nanosec, const MessageInfo& info) noexcept;
  /// House thread; true: again in the next round.
  bool watch();

 private:
  struct One {
    std::shared_ptr<RosTime> time;
    std::string node;  ///< who is named in the log
    SteadyTime since;  ///< when it joined
  };
  struct Fed : Disposable {
    std::vector<One> times;
  };

  template <class Change>
  void change(Change what);
  void look_at_publisher(const MessageInfo& info) noexcept;
  bool still_hope(SteadyTime last, SteadyTime now);
  void say_silent();
  bool stand() noexcept;
  std::size_t publishers() noexcept;

  const std::shared_ptr<MonotonicClock> monotonic_;
  std::mutex mutex_;  // guards subscription_ and fed_'s replacement
  std::weak_ptr<SubscriptionHandle> subscription_;
  SnapshotCell<Fed> fed_;
  std::atomic<std::int64_t> last_ns_{0};  // monotonic, of the last sample; 0: none
  // Of the thread that receives:
  static constexpr std::uint64_t kNoSequence = UINT64_MAX;  // which nothing follows
  std::uint64_t sequence_ = kNoSequence, publisher_ = 0, former_publisher_ = 0;
  bool told_of_two_ = false, told_of_bad_ = false;
  // House thread:
  SteadyTime since_;                             // it has watched without a break since
  SteadyTime watched_;                           // the last time
  SteadyTime told_of_none_ = SteadyTime::min();  // who joined by then has been told that no clock comes
  bool told_of_silence_ = false;
};

}  // namespace takt
