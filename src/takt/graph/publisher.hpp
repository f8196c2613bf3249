// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "takt/graph/loan.hpp"
#include "takt/graph/message_info.hpp"
#include "takt/graph/publisher_base.hpp"
#include "takt/graph/qos.hpp"
#include "takt/graph/retained_messages.hpp"
#include "takt/graph/subscription_queue.hpp"
#include "takt/graph/wire_message.hpp"

namespace takt {

/// Sends messages of one topic. Within the process a pointer is passed: all takers of const T& and
/// shared_ptr<const T> read one message; a taker of unique_ptr<T> gets the original when it is the only
/// taker, and a copy (counted) otherwise. A transient-local publisher counts as one more reader, for the
/// messages that it retains. Any thread.
///
/// Messages of ROS types also go to the other processes of the host that subscribe: written once into shared
/// memory.
///
/// Every publish: lock-free, takes no lock, makes one system call (a futex wake) for each executor that
/// sleeps. What may allocate is said at each. A message that is pushed out of a queue is destroyed by the
/// publishing thread.
template <class T>
class Publisher final : public PublisherBase {
  static_assert(std::default_initializable<T> && std::copyable<T>, "a message can be made empty and copied");

 public:
  using SharedPtr = std::shared_ptr<Publisher<T>>;
  using WeakPtr = std::weak_ptr<Publisher<T>>;
  using MessageType = T;

  /// Node::create_publisher makes it. Errors: SetupError when the topic has another type. May block, may
  /// allocate.
  Publisher(std::shared_ptr<Context> context, const std::string& node, std::string topic, const QoS& qos,
            const PublisherOptions& options)
      : PublisherBase(std::move(context), node, std::move(topic), qos, topic_type<T>()),
        pool_(MessagePool<T>::make(options.loans != 0 ? options.loans : default_loans(qos))) {
    if (qos.durability() == DurabilityPolicy::transient_local) {
      retained_ = std::make_unique<RetainedMessages<T>>(static_cast<std::uint32_t>(qos.depth()));
    }
    if constexpr (wire::Crossing<T>) make_outlet(wire::largest<T>(), options);
    if constexpr (wire::in_place<T>()) {
      if (outlet_) pool_->lend_abroad(outlet_);
    }
    make_events(options);
    enter();
  }
  ~Publisher() override { leave(); }

  /// Real-time: lock-free. Allocates nothing with one taker; a control block when several read it, or it is
  /// retained; a copy for each further taker of unique_ptr. A null pointer is a bug.
  PublishResult publish(std::unique_ptr<T> message) { return send_owned(nullptr, std::move(message)); }
  PublishResult publish(std::unique_ptr<T> message, const timing::Origin& origin) {
    return send_owned(&origin, std::move(message));
  }

  /// Real-time: lock-free. Allocates nothing unless some taker wants a unique_ptr (a copy for each but one).
  /// An empty loan sends nothing.
  PublishResult publish(Loan<T>&& message) { return send_loan(nullptr, std::move(message)); }
  PublishResult publish(Loan<T>&& message, const timing::Origin& origin) {
    return send_loan(&origin, std::move(message));
  }

  /// Copies the message, once for all that read it and once for each taker of unique_ptr; not at all without
  /// takers. The copy is made in a pooled message: allocates nothing where its fields have the capacity
  /// already, no taker wants a unique_ptr and the pool is not exhausted; may allocate otherwise.
  PublishResult publish(const T& message) { return send_copy(nullptr, message); }
  PublishResult publish(const T& message, const timing::Origin& origin) {
    return send_copy(&origin, message);
  }

  /// A message to fill and publish; empty when all are out (counted). It holds what it held before: assign
  /// every field. While only other processes subscribe, and the type's fields lie in memory as on the wire
  /// (all ROS types of fixed size without bool do), it is filled where those read it, and nothing is copied.
  /// Real-time: lock-free, allocates nothing.
  Loan<T> borrow() noexcept {
    auto loan = Loan<T>::from(*pool_);
    if (!loan) loans_exhausted_.fetch_add(1, std::memory_order_relaxed);
    if constexpr (wire::in_place<T>()) {
      if (loan && !retained_ && only_abroad()) {
        if (auto filling = outlet_->begin(wire::kBody + sizeof(T)))
          loan.place(std::move(filling), wire::kBody);
      }
    }
    return loan;
  }

  /// Real-time: wait-free.
  PublisherCounters counters() const noexcept override {
    auto out = PublisherBase::counters();
    out.copies += pool_->copies();
    out.loans_exhausted = loans_exhausted_.load(std::memory_order_relaxed);
    return out;
  }

 private:
  static std::uint32_t default_loans(const QoS& qos) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(qos.depth(), 1024)) + 8;
  }

  /// One message on its way to all takers.
  struct Delivery {
    const Matches& matches;
    MessageInfo info;
    PublishResult result{};
    std::uint64_t copies = 0;

    void hand(SubscriptionBase& to, Parcel<T>&& parcel) {
      parcel.info = info;
      parcel.release = info.published;
      // The registry lets only ends of the same C++ type onto a topic.
      switch (static_cast<SubscriptionQueue<T>&>(to).push(std::move(parcel))) {
        case PushResult::refused:
          ++result.refused;
          return;
        case PushResult::dropped_oldest:
          ++result.overwritten;
          [[fallthrough]];
        case PushResult::ok:
          ++result.delivered;
          to.notify(info.published);
      }
    }
  };

  PublishResult send_loan(const timing::Origin* origin, Loan<T>&& loan) {
    if constexpr (wire::in_place<T>()) {
      if (loan.is_abroad()) return send_abroad(origin, std::move(loan));
    }
    return send_owned(origin, std::move(loan));
  }

  /// A loan that was filled where other processes read it.
  PublishResult send_abroad(const timing::Origin* origin, Loan<T>&& loan) {
    auto filling = loan.take_filling();  // the loan is at home again, with an old content
    if (!only_abroad()) {                // somebody of this process has come meanwhile
      *loan = *reinterpret_cast<const T*>(filling.bytes().data() + wire::kBody);
      return send_owned(origin, std::move(loan));
    }
    loan.reset();
    MessageInfo info;
    if (!stamp(info, origin)) return {.suppressed = true};
    const auto matches = matches_.read();  // counts it as published
    count_undelivered(matches->sharing.size() + matches->owning.size());
    wire::write_head(filling.bytes());
    filling.shrink(wire::kSize<T>);
    const auto sent = outlet_->commit(std::move(filling), info);
    return {.delivered = sent.delivered, .host = sent.refusal};
  }

  template <class Message>
  PublishResult send_owned(const timing::Origin* origin, Message&& message) {
    if constexpr (std::is_same_v<std::decay_t<Message>, Loan<T>>) {
      if (!message) return {};
    } else {
      TAKT_CHECK(message != nullptr);
    }
    return send(origin, *message, [&](Delivery& delivery) {
      const auto& matches = delivery.matches;
      if (!retained_ && matches.sharing.empty() && matches.owning.empty()) return;
      send_to_all(delivery, Parcel<T>(std::forward<Message>(message)));
    });
  }

  PublishResult send_copy(const timing::Origin* origin, const T& message) {
    return send(origin, message, [&](Delivery& delivery) {
      const auto& matches = delivery.matches;
      if (!retained_ && matches.sharing.empty() && matches.owning.empty()) return;
      ++delivery.copies;
      send_to_all(delivery, copy_for(message, retained_ || !matches.sharing.empty()));
    });
  }

  /// Other processes' copy is written before `deliver` gives the message away, and sent after.
  template <class Deliver>
  PublishResult send(const timing::Origin* origin, const T& message, Deliver&& deliver) {
    MessageInfo info;
    if (!stamp(info, origin)) return {.suppressed = true};
    const auto matches = matches_.read();
    info.sequence = matches.number();
    Delivery delivery{*matches, info};
    std::optional<shm::Writer::Filling> abroad;
    if (outlet_ && outlet_->watched()) abroad.emplace(write_abroad(message));
    try {
      deliver(delivery);
    } catch (...) {  // of a copy
      const auto reached = delivery.result.delivered + delivery.result.refused;
      count_undelivered(matches->sharing.size() + matches->owning.size() - reached);
      count(delivery.result, delivery.copies);
      throw;
    }
    count(delivery.result, delivery.copies);
    if (abroad) {
      const auto sent = outlet_->commit(std::move(*abroad), info);
      delivery.result.delivered += sent.delivered;
      delivery.result.host = sent.refusal;
    }
    return delivery.result;
  }

  shm::Writer::Filling write_abroad(const T& message) noexcept {
    if constexpr (wire::Crossing<T>) {
      auto filling = outlet_->begin(wire::size_of(message));
      if (!filling || wire::fill(message, filling.bytes())) return filling;
      return shm::Writer::Filling(shm::Refusal::unwritable);
    } else {
      TAKT_CHECK(false && "has no outlet");
    }
  }

  /// In a pooled message when it will only be read, else on the heap.
  Parcel<T> copy_for(const T& message, bool readers) {
    if (readers) {
      if (auto loan = Loan<T>::from(*pool_)) {
        *loan = message;
        return Parcel<T>(std::move(loan));
      }
    }
    return Parcel<T>(std::make_unique<T>(message));
  }

  void send_to_all(Delivery& delivery, Parcel<T>&& original) {
    const auto& sharing = delivery.matches.sharing;
    const auto& owning = delivery.matches.owning;
    const auto readers = sharing.size() + (retained_ ? 1 : 0);
    // Copies first, as long as there is the original to copy from. Without readers the last owner gets the
    // original itself.
    for (std::size_t i = 0; i < owning.size(); ++i) {
      if (readers == 0 && i + 1 == owning.size()) return delivery.hand(*owning[i], std::move(original));
      delivery.hand(*owning[i], Parcel<T>(std::make_unique<T>(original.view())));
      ++delivery.copies;
    }
    if (readers == 0) return;
    if (readers == 1 && !retained_) return delivery.hand(*sharing.front(), std::move(original));
    auto message = std::move(original).into_shared();
    if (retained_) retained_->keep({message, delivery.info, delivery.matches.version});
    for (const auto& to : sharing) delivery.hand(*to, Parcel<T>(message));
  }

  void hand_retained(SubscriptionBase& subscription, std::uint64_t version) override {
    auto& queue = static_cast<SubscriptionQueue<T>&>(subscription);
    auto kept = retained_->copy_before(version);  // later ones were sent to it
    const auto extra = kept.size() > queue.qos().depth() ? kept.size() - queue.qos().depth() : 0;
    for (auto& one : std::span(kept).subspan(extra)) {
      const bool own = queue.wants() == Wants::owned;
      Parcel<T> parcel =
          own ? Parcel<T>(std::make_unique<T>(*one.message)) : Parcel<T>(std::move(one.message));
      copies_.fetch_add(own ? 1 : 0, std::memory_order_relaxed);
      handed_.fetch_add(1, std::memory_order_relaxed);
      parcel.info = one.info;
      queue.add_retained(std::move(parcel));
    }
  }

  typename MessagePool<T>::Handle pool_;
  std::unique_ptr<RetainedMessages<T>> retained_;  // transient local only
  std::atomic<std::uint64_t> loans_exhausted_{0};
};

}  // namespace takt
