// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "takt/graph/callback_group.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/publisher.hpp"
#include "takt/graph/qos.hpp"
#include "takt/graph/ros_clock.hpp"
#include "takt/graph/subscription.hpp"
#include "takt/graph/timer.hpp"

namespace takt {

class ExecutorCore;
class TimeSource;

/// Who receives /clock for a node on simulated time. own: a thread, shared by the context's nodes
/// (InitOptions::clock_thread). shared: the node's default callback group, so that its time stands while
/// another callback of that group runs, as with a single-threaded executor in ROS 2.
enum class ClockThread : std::uint8_t { own, shared };

struct NodeOptions {
  std::shared_ptr<Context> context{};  ///< default: the default context
  std::string ns{};                    ///< namespace, "" or "/robot"
  std::optional<bool> use_sim_time{};  ///< default: InitOptions::use_sim_time
  ClockThread clock_thread = ClockThread::own;
};

/// A named collection of timers, publishers and subscriptions. Functions: any thread; they set up, so they
/// may block and allocate.
class Node : public std::enable_shared_from_this<Node> {
 public:
  using SharedPtr = std::shared_ptr<Node>;

  /// Errors: SetupError for a name or namespace that ROS 2 does not allow.
  explicit Node(const std::string& name, NodeOptions options = {});
  Node(const std::string& name, const std::string& ns, NodeOptions options = {});
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& get_name() const noexcept { return name_; }
  /// "/" or "/robot".
  std::string get_namespace() const { return namespace_.empty() ? "/" : namespace_; }
  std::string get_fully_qualified_name() const;
  const std::shared_ptr<Context>& context() const noexcept { return context_; }
  /// ROS time: that of /clock under simulated time, else the calendar (under a clock that was given to the
  /// context: that clock). Durations are better measured on context()->clock(), the monotonic one.
  const RosClock::SharedPtr& get_clock() const noexcept { return clock_; }
  /// get_clock()->now(). Real-time: lock-free.
  ClockTime now() const noexcept { return clock_->now(); }
  /// Simulated time on or off, as the parameter use_sim_time does. A timer keeps what was left until its
  /// slot. Errors: SetupError from inside a jump callback of this node's clock, or when the thread for /clock
  /// is refused its scheduling.
  void set_use_sim_time(bool on);

  /// A periodic callback on simulated time, if the node is on it, else on the context's monotonic clock
  /// (never on the calendar, which can be set), or on options.clock. callback: void() or void(const
  /// TimerInfo&). Errors: SetupError for a negative, zero (without leave) or overflowing period, with the
  /// value.
  template <class Rep, class Ratio, class Callback>
  Timer::SharedPtr create_timer(std::chrono::duration<Rep, Ratio> period, Callback callback,
                                const TimerOptions& options = {}) {
    return make_timer(checked_duration(period, "a timer period"), to_timer_callback(std::move(callback)),
                      options);
  }
  /// As rclcpp: always the monotonic clock.
  template <class Rep, class Ratio, class Callback>
  Timer::SharedPtr create_wall_timer(std::chrono::duration<Rep, Ratio> period, Callback callback,
                                     CallbackGroup::SharedPtr group = nullptr, bool autostart = true) {
    TimerOptions options;
    options.group = std::move(group);
    options.autostart = autostart;
    options.clock = context_->clock();
    return create_timer(period, std::move(callback), options);
  }

  /// Errors: SetupError for an invalid topic name, or a topic that has another type (both types and the other
  /// node are named).
  template <class T>
  typename Publisher<T>::SharedPtr create_publisher(const std::string& topic, const QoS& qos,
                                                    PublisherOptions options = {}) {
    if (!options.callback_group) options.callback_group = default_group_;
    return std::make_shared<Publisher<T>>(context_, get_fully_qualified_name(), resolve_topic(topic), qos,
                                          options);
  }

  /// callback takes const T&, std::unique_ptr<T> or std::shared_ptr<const T>, each with or without const
  /// MessageInfo&. Errors: as create_publisher.
  template <class T, class Callback>
  typename Subscription<T>::SharedPtr create_subscription(const std::string& topic, const QoS& qos,
                                                          Callback callback,
                                                          SubscriptionOptions options = {}) {
    auto group = options.callback_group ? options.callback_group : default_group_;
    return std::make_shared<Subscription<T>>(context_, get_fully_qualified_name(), resolve_topic(topic), qos,
                                             std::move(callback), std::move(options), std::move(group));
  }

  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type,
                                                 bool automatically_add_to_executor_with_node = true);
  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type, CallbackGroupOptions options);
  const CallbackGroup::SharedPtr& get_default_callback_group() const noexcept { return default_group_; }
  /// Those still alive, the default group first.
  std::vector<CallbackGroup::SharedPtr> callback_groups() const;
  /// rclcpp's handle for Executor::add_callback_group.
  Node* get_node_base_interface() noexcept { return this; }

  /// "topic" -> "/<namespace>/topic", "~/topic" -> "/<namespace>/<node>/topic", "/topic" as it is. Errors:
  /// SetupError if invalid.
  std::string resolve_topic(const std::string& topic) const;

 private:
  friend class Executor;

  template <class Callback>
  static Timer::Callback to_timer_callback(Callback callback) {
    if constexpr (!std::is_empty_v<Callback> && requires { callback == nullptr; }) {
      if (callback == nullptr) return {};  // refused by the timer
    }
    if constexpr (std::is_invocable_v<Callback&, const TimerInfo&>) {
      return callback;
    } else {
      static_assert(std::is_invocable_v<Callback&>,
                    "a timer callback is void() or void(const takt::TimerInfo&)");
      return [callback = std::move(callback)](const TimerInfo&) mutable { callback(); };
    }
  }
  Timer::SharedPtr make_timer(Duration period, Timer::Callback callback, const TimerOptions& options);

  std::string name_;
  std::string namespace_;  // "" for the root, else "/robot"
  std::shared_ptr<Context> context_;
  CallbackGroup::SharedPtr default_group_;
  std::uint64_t announced_ = 0;  // to the host's other processes
  const ClockThread clock_thread_;
  std::shared_ptr<RosTime> time_;
  RosClock::SharedPtr clock_;
  RosClock::SharedPtr timer_clock_;  // the same time, but monotonic without simulation
  std::mutex source_mutex_;          // guards source_
  std::shared_ptr<TimeSource> source_;
  // Guarded by the context's graph mutex:
  mutable std::vector<CallbackGroup::WeakPtr> groups_;
  Executor* executor_ = nullptr;
};

}  // namespace takt
