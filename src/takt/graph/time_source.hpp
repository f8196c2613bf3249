// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "takt/core/house.hpp"
#include "takt/graph/callback_group.hpp"
#include "takt/graph/ros_time.hpp"
#include "takt/graph/subscription.hpp"

namespace takt {

class ClockReceiver;

/// Receives /clock (best effort, the last one only) and sets the ROS time of nodes. It has a thread of its
/// own, one for all nodes of a context, or runs in a callback group of a node: then that node's time stands
/// while another callback of the group runs, as with a single-threaded executor in ROS 2. It may be dropped
/// in a jump callback, that is, while it runs.
class TimeSource {
 public:
  /// May block.
  static std::shared_ptr<TimeSource> on_own_thread(const std::shared_ptr<Context>& context,
                                                   const std::string& node);
  static std::shared_ptr<TimeSource> in_group(const std::shared_ptr<Context>& context,
                                              const std::string& node, CallbackGroup::SharedPtr group);
  ~TimeSource();
  TimeSource(const TimeSource&) = delete;
  TimeSource& operator=(const TimeSource&) = delete;

  /// From now on `time`, that of `node`, is set, until leave(). May block, may allocate.
  void feed(const std::shared_ptr<RosTime>& time, const std::string& node);
  void leave(const RosTime& time);

 private:
  class Thread;

  TimeSource(const std::shared_ptr<Context>& context, const std::string& node,
             CallbackGroup::SharedPtr group);

  House& house_;
  std::shared_ptr<ClockReceiver> receiver_;
  std::shared_ptr<SubscriptionHandle> subscription_;
  std::unique_ptr<Thread> thread_;
  std::unique_ptr<House::Registration> house_task_;  // last: uses the above
};

}  // namespace takt
