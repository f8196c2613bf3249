// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "takt/core/steady_clock.hpp"
#include "takt/graph/deadline_event.hpp"
#include "takt/graph/executable.hpp"
#include "takt/graph/inlet_set.hpp"
#include "takt/graph/qos.hpp"
#include "takt/graph/subscription_callback.hpp"
#include "takt/graph/topic_name.hpp"
#include "takt/graph/topic_type.hpp"

namespace takt {

/// What became of the messages that publishers offered. Of this process's: received + refused were offered;
/// received = taken + overwritten + those that still wait. Those of other processes wait in the publisher's
/// memory, and count as received when they are taken.
struct SubscriptionCounters {
  std::uint64_t received = 0;  ///< queued here, retained ones included
  std::uint64_t taken = 0;
  std::uint64_t overwritten = 0;  ///< queued here, and pushed out by a newer one (keep last)
  std::uint64_t refused = 0;      ///< never queued: the queue was full (keep all)
  // Of other processes' messages:
  std::uint64_t lost = 0;       ///< overwritten before they were taken, or beyond the depth asked for
  std::uint64_t malformed = 0;  ///< not of this type, or damaged: passed over
};

/// A subscription as publishers and the topic registry see it. The object lives until the last publisher that
/// may be using it has let go, which is after the user's handle is gone.
class SubscriptionBase {
 public:
  /// `node`: its full name.
  SubscriptionBase(const std::string& node, std::string topic, const QoS& qos, TopicType type, Wants wants)
      : node_full_name_(full_name_of(node)),
        node_(short_name_of(node)),
        topic_(std::move(topic)),
        qos_(qos),
        type_(std::move(type)),
        wants_(wants) {}
  virtual ~SubscriptionBase() = default;
  SubscriptionBase(const SubscriptionBase&) = delete;
  SubscriptionBase& operator=(const SubscriptionBase&) = delete;

  const std::string& node() const noexcept { return node_; }
  const std::string& node_full_name() const noexcept { return node_full_name_; }
  const std::string& topic() const noexcept { return topic_; }
  const QoS& qos() const noexcept { return qos_; }
  const TopicType& type() const noexcept { return type_; }
  Wants wants() const noexcept { return wants_; }

  /// May block shortly (for the counters of other processes' publishers). Not one instant's view while others
  /// are at work.
  virtual SubscriptionCounters counters() const noexcept = 0;
  /// Publishers that it is matched with, and those on its topic that it cannot be matched with. Wait-free.
  std::uint32_t publishers() const noexcept {
    return publishers_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(inlets_.size());
  }
  std::uint32_t incompatible() const noexcept { return incompatible_.load(std::memory_order_relaxed); }

  /// Other processes' publishers. Those who attach and detach them: HostLink and the executor.
  InletSet& inlets() noexcept { return inlets_; }
  void count_incompatible(int more) noexcept {
    incompatible_.fetch_add(static_cast<std::uint32_t>(more), std::memory_order_relaxed);
  }
  /// Makes its callback run if messages wait. Real-time: as notify().
  void notify_if_waiting() noexcept {
    if (executable_ != nullptr && executable_->has_work()) {
      executable_->notify(SteadyClock::instance()->steady_now());
    }
  }
  /// Makes what it needs to take messages of other processes. Set-up; allocates.
  virtual void prepare_for_other_processes() {}

  /// A message of this process was queued. Real-time: lock-free, and one futex wake when its executor sleeps.
  void notify(SteadyTime published) noexcept {
    if (silence_ != nullptr) silence_->heard(published, inlets_.size() == 0);
    if (executable_ != nullptr) executable_->notify(published);
  }

  /// From its first match on the event hears of silences. Before it is added to the registry.
  void watch_with(const DeadlineEventHandle& event) noexcept {
    deadline_event_ = event.event();
    silence_ = event.silence();
  }
  /// It is matched with a publisher from `now` on. May wake an executor.
  void matched(SteadyTime now) noexcept {
    if (const auto event = deadline_event_.lock()) event->begin(now);
  }

 protected:
  /// A message of another process was taken. Of several publishers each is taken from in turn.
  void heard_abroad(SteadyTime published) noexcept {
    if (silence_ != nullptr) silence_->heard(published, publishers() == 1);
  }

  /// Called once, while it is added to the registry: what publishers had retained is complete, and released
  /// `now`.
  virtual void put_retained(SteadyTime now) = 0;

  Executable* executable_ = nullptr;  // itself, when it has a callback
  std::shared_ptr<Silence> silence_;  // null: nobody asks; set before publishers know it
  InletSet inlets_;

 private:
  friend class TopicRegistry;
  const std::string node_full_name_;
  const std::string node_;
  const std::string topic_;
  const QoS qos_;
  const TopicType type_;
  const Wants wants_;
  std::weak_ptr<DeadlineEvent> deadline_event_;
  std::atomic<std::uint32_t> publishers_{0};
  std::atomic<std::uint32_t> incompatible_{0};
};

}  // namespace takt
