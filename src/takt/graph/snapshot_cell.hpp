// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/graph/disposal.hpp"

namespace takt {

/// An immutable object that many threads read wait-free while now and then another takes its place.
///
/// Invariants
///  1. A reader adds itself to one of two counters, then loads the pointer; it leaves the same counter when
///  it is done. All of
///     this and the exchange of the pointer are sequentially consistent: a reader that holds a replaced
///     object was counted before the replacement, so once each counter has been seen at zero after it, nobody
///     holds the object.
///  2. New readers go to the counter that epoch_ names, and the writers' side turns epoch_ whenever the other
///  one is at zero:
///     so each counter reaches zero however many readers keep coming.
///  3. Everything but read() is called under the writers' common mutex. Nobody waits: collect() is called
///  again later.
template <class T>
class SnapshotCell {
  static_assert(std::is_base_of_v<Disposable, T>, "the old object is destroyed on the house thread");

 public:
  explicit SnapshotCell(std::unique_ptr<T> first) : current_(first.release()) {}
  /// No reader may be left.
  ~SnapshotCell() {
    TAKT_CHECK(readers_[0].count.load() == 0 && readers_[1].count.load() == 0);
    dispose(std::unique_ptr<T>(current_.load()));
    for (auto& old : replaced_) dispose(std::move(old.object));
  }
  SnapshotCell(const SnapshotCell&) = delete;
  SnapshotCell& operator=(const SnapshotCell&) = delete;

  /// Holds the object: short-lived, on the stack.
  class Reader {
   public:
    ~Reader() { counter_.fetch_sub(1, std::memory_order_release); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    const T& operator*() const noexcept { return object_; }
    const T* operator->() const noexcept { return &object_; }

   private:
    friend class SnapshotCell;
    Reader(std::atomic<std::uint32_t>& counter, const std::atomic<T*>& current) noexcept
        : counter_(counter), object_((counter.fetch_add(1), *current.load())) {}
    std::atomic<std::uint32_t>& counter_;
    const T& object_;
  };

  /// Real-time: wait-free.
  Reader read() const noexcept { return Reader(readers_[epoch_.load()].count, current_); }

  /// The writers' own view.
  const T& current() const noexcept { return *current_.load(); }

  /// May allocate. The old object is disposed of by a later collect().
  void replace(std::unique_ptr<T> next) {
    replaced_.push_back({});
    replaced_.back().object.reset(current_.exchange(next.release()));
  }

  /// Disposes of the replaced objects that nobody can hold any more. True while some are left.
  bool collect() noexcept {
    if (replaced_.empty()) return false;
    const auto epoch = epoch_.load();
    for (const auto parity : {1 - epoch, epoch}) {
      if (readers_[parity].count.load() == 0) {
        for (auto& old : replaced_) old.seen_free[parity] = true;
      } else if (parity == epoch && readers_[1 - epoch].count.load() == 0) {
        epoch_.store(1 - epoch);
      }
    }
    std::erase_if(replaced_, [](auto& old) {
      if (!old.seen_free[0] || !old.seen_free[1]) return false;
      dispose(std::move(old.object));
      return true;
    });
    return !replaced_.empty();
  }

 private:
  struct alignas(64) Counter {
    std::atomic<std::uint32_t> count{0};
  };
  struct Replaced {
    std::unique_ptr<T> object;
    std::array<bool, 2> seen_free{};
  };

  std::atomic<T*> current_;
  std::atomic<std::uint32_t> epoch_{0};  // 0 or 1
  mutable std::array<Counter, 2> readers_;
  std::vector<Replaced> replaced_;
};

}  // namespace takt
