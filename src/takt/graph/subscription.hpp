// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "takt/graph/callback_group.hpp"
#include "takt/graph/deadline_event.hpp"
#include "takt/graph/message_info.hpp"
#include "takt/graph/qos.hpp"
#include "takt/graph/qos_event.hpp"
#include "takt/graph/subscription_executable.hpp"
#include "takt/timing/deadline.hpp"

namespace takt {

class Context;

struct SubscriptionOptions {
  CallbackGroup::SharedPtr callback_group;  ///< default: the node's default group
  Deadline deadline;                        ///< relative to the publish time; default: none
  std::string name;  ///< of the callback in verdicts; default: the topic; verdicts show
                     ///< "<node>/<name>"
  SubscriptionEventCallbacks event_callbacks{};  ///< run in callback_group
};

/// The user's end of a subscription, whatever the message: dropping it ends the subscription.
class SubscriptionHandle {
 public:
  ~SubscriptionHandle();
  SubscriptionHandle(const SubscriptionHandle&) = delete;
  SubscriptionHandle& operator=(const SubscriptionHandle&) = delete;

  const std::string& get_topic_name() const noexcept { return base_->topic(); }
  const QoS& get_actual_qos() const noexcept { return base_->qos(); }
  /// Publishers that it is matched with, of this process and of others on the host. Real-time: wait-free.
  std::size_t get_publisher_count() const noexcept { return base_->publishers(); }
  /// Publishers on its topic that it is not matched with: their QoS offers less than it asks for, or, in
  /// another process, they have another type. Real-time: wait-free.
  std::size_t incompatible() const noexcept { return base_->incompatible(); }
  SubscriptionCounters counters() const noexcept { return base_->counters(); }
  /// How its callback is judged. Of a subscription without callback: a bug.
  const timing::Section& section() const noexcept;

 protected:
  explicit SubscriptionHandle(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  /// Makes the section of a callback. Errors: SetupError when the topic has another type.
  timing::Section& make_section(const std::string& node, const std::string& topic, const TopicType& type,
                                const SubscriptionOptions& options, const CallbackGroup& group);
  timing::Monitor& monitor() const noexcept;
  /// Makes the events that are asked for, before enter(). Errors: SetupError when the topic has another type.
  void make_events(const std::shared_ptr<SubscriptionBase>& base, const SubscriptionOptions& options,
                   const CallbackGroup::SharedPtr& group);
  void enter(std::shared_ptr<SubscriptionBase> base);
  void enter(std::shared_ptr<SubscriptionBase> base, std::shared_ptr<Executable> executable,
             CallbackGroup::SharedPtr group);
  /// What a polling activation took belongs to its chain.
  static void inherit(const timing::Origin& origin) noexcept;

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<SubscriptionBase> base_;
  std::shared_ptr<Executable> executable_;  // unset: polling only
  CallbackGroup::SharedPtr group_;
  DeadlineEventHandle deadline_event_;
};

/// Receives the messages of a topic: each is handed to the callback by the executor that its group belongs
/// to, or taken by take(). Functions: any thread, also inside its own callback.
template <class T>
class Subscription : public SubscriptionHandle {
 public:
  using SharedPtr = std::shared_ptr<Subscription<T>>;
  using WeakPtr = std::weak_ptr<Subscription<T>>;
  using MessageType = T;

  /// Node::create_subscription makes it. `callback`: see SubscriptionCallback; nullptr: for take() only.
  /// Errors: SetupError when the topic has another type, or for an empty callback. May block, may allocate.
  template <class Callback>
  Subscription(std::shared_ptr<Context> context, const std::string& node, const std::string& topic,
               const QoS& qos, Callback callback, const SubscriptionOptions& options,
               CallbackGroup::SharedPtr group)
      : SubscriptionHandle(std::move(context)) {
    if constexpr (std::is_null_pointer_v<Callback>) {
      queue_ = std::make_shared<SubscriptionQueue<T>>(node, topic, qos, Wants::shared);
      make_events(queue_, options, group);
      enter(queue_);
    } else {
      SubscriptionCallback<T> body(std::move(callback));
      auto& section = make_section(node, topic, topic_type<T>(), options, *group);
      auto executable =
          std::make_shared<SubscriptionExecutable<T>>(monitor(), section, node, topic, qos, std::move(body));
      queue_ = executable;
      make_events(queue_, options, group);
      enter(queue_, std::move(executable), std::move(group));
    }
  }

  /// Takes the oldest waiting message; false when there is none. An activation that takes has the oldest
  /// origin of both. An owned message is swapped with `message`, a shared one (several takers, or transient
  /// local) assigned to it. Real-time: lock-free. May allocate only where an assigned message's fields
  /// outgrow those of `message`; a message that was published as unique_ptr is freed here.
  bool take(T& message, MessageInfo& info) {
    InPlace in_place;
    auto parcel = queue_->pop(in_place);
    if (!parcel) return false;
    info = parcel->info;
    std::move(*parcel).into(message);
    inherit(info.origin);
    if (queue_->inlets().size() != 0) queue_->notify_if_waiting();  // an executor may have found it busy
    return true;
  }

  /// Messages of this process that wait; those of others wait with their publishers. Real-time: wait-free.
  std::size_t size() const noexcept { return queue_->size(); }

 private:
  std::shared_ptr<SubscriptionQueue<T>> queue_;
};

}  // namespace takt
