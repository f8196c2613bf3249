// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "takt/core/bounded_queue.hpp"
#include "takt/core/clock.hpp"
#include "takt/graph/callback_group.hpp"
#include "takt/graph/deadline_event.hpp"
#include "takt/graph/disposal.hpp"
#include "takt/graph/message_info.hpp"
#include "takt/graph/outlet.hpp"
#include "takt/graph/qos.hpp"
#include "takt/graph/qos_event.hpp"
#include "takt/graph/snapshot_cell.hpp"
#include "takt/graph/subscription_base.hpp"
#include "takt/graph/topic_type.hpp"

namespace takt {

class Context;

struct PublisherOptions {
  std::uint32_t loans =
      0;  ///< messages made beforehand for borrow(); 0: the depth of the QoS (counted to 1024) + 8
  // Towards other processes of the host:
  std::size_t largest = 0;  ///< bytes of the largest message; 0: what the type needs, 64 MiB without bound
  std::uint32_t readers = 256;  ///< most subscriptions of other processes, up to 1024
  std::size_t reserved = 4096;  ///< bytes that each slot has memory for from the start (at most `largest`)

  PublisherEventCallbacks event_callbacks{};
  CallbackGroup::SharedPtr callback_group{};  ///< of the events; default: the node's default group
};

/// What became of one message.
struct PublishResult {
  std::uint32_t delivered = 0;             ///< subscriptions that it was queued at
  std::uint32_t overwritten = 0;           ///< older messages that it pushed out (keep last)
  std::uint32_t refused = 0;               ///< subscriptions whose keep-all queue was full
  bool suppressed = false;                 ///< late result of a firm callback: not sent
  shm::Refusal host = shm::Refusal::none;  ///< why it did not go to the host's other processes
};

/// Sums over all messages; published counts messages, the next three are per subscription.
struct PublisherCounters {
  std::uint64_t published = 0;    ///< also without any subscription; not the suppressed ones
  std::uint64_t delivered = 0;    ///< queued at a subscription
  std::uint64_t overwritten = 0;  ///< messages (also of other publishers) that these pushed out
  std::uint64_t refused = 0;      ///< a keep-all queue was full
  std::uint64_t suppressed = 0;   ///< late results of firm callbacks, not sent
  std::uint64_t copies = 0;  ///< of message contents, made for publish(const T&) or for takers of unique_ptr
  std::uint64_t loans_exhausted = 0;  ///< borrow() that found every message out
  OutletCounters host;                ///< of other processes' subscriptions; `delivered` counts them, too
};

/// The subscriptions that a publisher is matched with.
struct Matches final : Disposable {
  std::uint64_t version = 0;
  std::vector<std::shared_ptr<SubscriptionBase>> sharing;  ///< may read the same message
  std::vector<std::shared_ptr<SubscriptionBase>> owning;   ///< each wants one of its own
};

/// A publisher as the topic registry sees it, and all that does not depend on the message type.
class PublisherBase {
 public:
  virtual ~PublisherBase() = default;
  PublisherBase(const PublisherBase&) = delete;
  PublisherBase& operator=(const PublisherBase&) = delete;

  const std::string& node() const noexcept { return node_; }
  /// "/robot/controller".
  const std::string& node_full_name() const noexcept { return node_full_name_; }
  const TopicType& type() const noexcept { return type_; }
  const std::string& get_topic_name() const noexcept { return topic_; }
  const QoS& get_actual_qos() const noexcept { return qos_; }
  /// As in MessageInfo::publisher.
  std::uint64_t id() const noexcept { return id_; }
  /// Subscriptions that would get a message now, of this process and of others on the host. Real-time:
  /// wait-free.
  std::size_t get_subscription_count() const noexcept {
    return subscriptions_.load(std::memory_order_relaxed) + (outlet_ ? outlet_->listeners() : 0);
  }
  /// Subscriptions on its topic that it is not matched with: they ask for more than its QoS offers, or, in
  /// another process, for another type. Real-time: wait-free.
  std::size_t incompatible() const noexcept { return incompatible_.load(std::memory_order_relaxed); }
  /// Real-time: wait-free. Not one instant's view while others are at work.
  virtual PublisherCounters counters() const noexcept;

 protected:
  /// `node`: its full name.
  PublisherBase(std::shared_ptr<Context> context, const std::string& node, std::string topic, const QoS& qos,
                TopicType type);
  /// Towards other processes, where the context has any; before enter(). `largest`: of its messages, 0: no
  /// bound. Errors: SetupError.
  void make_outlet(std::size_t largest, const PublisherOptions& options);

  /// Makes the events that are asked for; before enter(). Errors: SetupError when the topic has another type.
  void make_events(const PublisherOptions& options);

  /// The last thing a constructor, and the first a destructor does. Errors: SetupError when the topic has
  /// another type.
  void enter();
  void leave() noexcept;

  /// Stamps a message that is about to be sent (all but its sequence); false when it is suppressed: the late
  /// result of a firm callback. Without an origin the message has that of the activation it is published in.
  /// Real-time: wait-free.
  bool stamp(MessageInfo& info, const timing::Origin* origin) noexcept;
  /// Only other processes would get a message now. Real-time: wait-free.
  bool only_abroad() const noexcept {
    return outlet_ && subscriptions_.load(std::memory_order_relaxed) == 0 && outlet_->heard();
  }
  /// What was out of the ordinary: every publish counts as delivered to all that it is matched with.
  void count(const PublishResult& result, std::uint64_t copies) noexcept {
    if ((result.overwritten | result.refused | copies) != 0) count_rare(result, copies);
  }
  /// A publish that ended with an exception did not reach so many.
  void count_undelivered(std::uint64_t n) noexcept { undelivered_.fetch_add(n, std::memory_order_release); }
  /// Hands over what was retained before version `version` of the list; every publish that used an older one
  /// has ended.
  virtual void hand_retained(SubscriptionBase& subscription, std::uint64_t version) = 0;

  // Replaced under the registry's mutex. The number of a reading is the sequence of a message, and its weight
  // the number of subscriptions: so one step counts what is published and delivered, and finds the takers.
  SnapshotCell<Matches> matches_;
  std::atomic<std::uint64_t> handed_{0};  // retained messages that joining subscriptions were given
  std::atomic<std::uint64_t> copies_{0};
  std::shared_ptr<Outlet> outlet_;  // null: within the process only

 private:
  friend class TopicRegistry;
  friend class HostLink;
  Outlet* outlet() const noexcept { return outlet_.get(); }
  SteadyTime now() const noexcept { return clock_.steady_now(); }
  void count_incompatible(int more) noexcept {
    incompatible_.fetch_add(static_cast<std::uint32_t>(more), std::memory_order_relaxed);
  }
  void match(const std::shared_ptr<SubscriptionBase>& subscription);
  void unmatch(const std::shared_ptr<SubscriptionBase>& subscription);
  void replace(std::unique_ptr<Matches> next);
  void count_rare(const PublishResult& result, std::uint64_t copies) noexcept;

  const std::shared_ptr<Context> context_;
  MonotonicClock& clock_;
  const std::string node_full_name_;
  const std::string node_;
  const std::string topic_;
  const QoS qos_;
  const TopicType type_;
  const std::uint64_t id_;
  DeadlineEventHandle deadline_event_;
  std::atomic<std::uint32_t> subscriptions_{0};  // of this process
  std::atomic<std::uint32_t> incompatible_{0};
  std::atomic<std::uint64_t> undelivered_{0};
  std::atomic<std::uint64_t> overwritten_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> suppressed_{0};
};

}  // namespace takt
