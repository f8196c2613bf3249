// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/graph/parcel.hpp"

namespace takt {

/// What a taker does with a message: read it together with others, or have it for its own.
enum class Wants : std::uint8_t { shared, owned };

namespace detail {

enum class Argument : std::uint8_t { none, reference, shared, unique };

/// What a callable can be given, in the order of preference; std::bind and generic callables often fit
/// several.
template <class Callable, class T, class... Info>
constexpr Argument argument_of() {
  if constexpr (std::is_invocable_v<Callable&, const T&, Info...>) {
    return Argument::reference;
  } else if constexpr (std::is_invocable_v<Callable&, std::shared_ptr<const T>, Info...>) {
    return Argument::shared;
  } else if constexpr (std::is_invocable_v<Callable&, std::unique_ptr<T>, Info...>) {
    return Argument::unique;  // of a shared_ptr<T> as well: a unique_ptr becomes one
  } else {
    return Argument::none;
  }
}

}  // namespace detail

/// Any callable that takes a message: const T&, std::shared_ptr<const T>, std::unique_ptr<T> or
/// std::shared_ptr<T>, each with or without const MessageInfo&. Allocates at construction only.
template <class T>
class SubscriptionCallback {
 public:
  /// Errors: SetupError for a null function pointer or an empty std::function.
  template <class Callable>
  explicit SubscriptionCallback(Callable callable) {
    static constexpr auto kAlone = detail::argument_of<Callable, T>();
    static constexpr auto kWithInfo = detail::argument_of<Callable, T, const MessageInfo&>();
    static constexpr bool kFits = kAlone != detail::Argument::none || kWithInfo != detail::Argument::none;
    static_assert(
        kFits,
        "a subscription callback takes const T&, std::shared_ptr<const T>, std::unique_ptr<T> or "
        "std::shared_ptr<T>, with or without const takt::MessageInfo& after it; T is the message type");
    if constexpr (kFits) {
      static constexpr bool kInfo = kAlone == detail::Argument::none;
      static constexpr auto kArgument = kInfo ? kWithInfo : kAlone;
      if constexpr (!std::is_empty_v<Callable> && requires { callable == nullptr; }) {
        if (callable == nullptr) throw SetupError("a subscription callback is empty", "give it a function");
      }
      wants_ = kArgument == detail::Argument::unique ? Wants::owned : Wants::shared;
      body_ = std::make_unique<BodyOf<Callable, kArgument, kInfo>>(std::move(callable));
    }
  }

  Wants wants() const noexcept { return wants_; }

  /// Real-time: adds nothing to the callable's own, except for a control block (shared_ptr of a message on
  /// the heap) or a copy (unique_ptr of a loan), which allocate. A message that the callable does not take
  /// stays in the parcel.
  void operator()(Parcel<T>& parcel) { (*body_)(parcel); }

 private:
  struct Body {
    virtual ~Body() = default;
    virtual void operator()(Parcel<T>& parcel) = 0;
  };

  template <class Callable, detail::Argument kArgument, bool kInfo>
  struct BodyOf final : Body {
    explicit BodyOf(Callable&& own) : callable(std::move(own)) {}

    void operator()(Parcel<T>& parcel) override {
      const MessageInfo& info = parcel.info;  // stays when the message is taken out
      if constexpr (kArgument == detail::Argument::reference) {
        call(parcel.view(), info);
      } else if constexpr (kArgument == detail::Argument::shared) {
        call(std::move(parcel).into_shared(), info);
      } else {
        call(std::move(parcel).into_unique(), info);
      }
    }

    template <class Message>
    void call(Message&& message, const MessageInfo& info) {
      if constexpr (kInfo) {
        callable(std::forward<Message>(message), info);
      } else {
        callable(std::forward<Message>(message));
      }
    }

    Callable callable;
  };

  Wants wants_ = Wants::shared;
  std::unique_ptr<Body> body_;
};

}  // namespace takt
