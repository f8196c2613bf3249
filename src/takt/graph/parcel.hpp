// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "takt/graph/in_place.hpp"
#include "takt/graph/loan.hpp"
#include "takt/graph/message_info.hpp"

namespace takt {

/// One message on its way to one subscription: the only owner of it (heap or loan), one of several, or one of
/// another process. Exactly one of the four pointers is set. (A std::variant of them costs more to move and
/// misleads GCC 12's flow analysis.)
template <class T>
class Parcel {
 public:
  Parcel() noexcept = default;
  explicit Parcel(std::unique_ptr<T> message) noexcept : unique_(std::move(message)) {}
  explicit Parcel(Loan<T>&& message) noexcept : loan_(std::move(message)) {}
  explicit Parcel(std::shared_ptr<const T> message) noexcept : shared_(std::move(message)) {}
  /// Of another process, where it lies; `message` outlives the parcel.
  explicit Parcel(InPlace& message) noexcept : in_place_(&message) {}

  MessageInfo info;
  SteadyTime release{};  ///< of the callback that takes it: the publish time; for a retained message when its
                         ///< taker joined

  /// Real-time: wait-free.
  const T& view() const noexcept {
    return unique_ ? *unique_ : loan_ ? *loan_ : in_place_ != nullptr ? at_its_place() : *shared_;
  }

  /// Allocates a control block for a message on the heap or of another process; nothing for a loan or a
  /// shared one.
  std::shared_ptr<const T> into_shared() && {
    if (in_place_ != nullptr) {
      const T* message = &at_its_place();
      return {std::move(*in_place_).keep(), message};
    }
    if (loan_) return std::move(loan_).share();
    if (unique_) return std::move(unique_);
    return std::move(shared_);
  }

  /// Copies a loan (counted) or a shared message: may allocate. Nothing for a message on the heap.
  std::unique_ptr<T> into_unique() && {
    if (unique_) return std::move(unique_);
    return loan_ ? loan_.copy() : std::make_unique<T>(view());
  }

  /// Swaps an owned message with `out`, so that both keep their capacity; assigns a shared one (may allocate
  /// for its fields).
  void into(T& out) && {
    using std::swap;
    if (unique_) {
      swap(out, *unique_);
    } else if (loan_) {
      swap(out, *loan_);
    } else {
      out = view();
    }
  }

 private:
  const T& at_its_place() const noexcept { return *static_cast<const T*>(in_place_->message()); }

  std::unique_ptr<T> unique_;
  Loan<T> loan_;
  std::shared_ptr<const T> shared_;
  InPlace* in_place_ = nullptr;
};

}  // namespace takt
