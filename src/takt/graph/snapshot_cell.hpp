// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/graph/disposal.hpp"

namespace takt {

/// An immutable object that many threads read wait-free while now and then another takes its place. Readings
/// are numbered.
///
/// Invariants
///  1. word_ holds {version, number of readings}. A reader adds one: in this single step it gets its number
///  and
///     the version that it reads. The version changes by compare-and-swap of the whole word, so that it is
///     exactly known how many readings each version had.
///  2. A reader that is done counts itself in its version, once, and never in another. So when as many are
///     done as a replaced version had readings, nobody holds its object: however many readers keep coming.
///  3. A place in versions_ is used again only after its object has been collected.
///  4. Everything but read(), readings() and weighed_readings() is called under the writers' common mutex.
template <class T>
class SnapshotCell {
  static_assert(std::is_base_of_v<Disposable, T>, "the old object is destroyed on the house thread");
  struct Version;

 public:
  /// `weight`: what one reading of this object counts in weighed_readings().
  explicit SnapshotCell(std::unique_ptr<T> first, std::uint64_t weight = 0) {
    versions_[0].object = first.release();
    versions_[0].weight.store(weight);
  }
  /// No reader may be left.
  ~SnapshotCell() {
    versions_[current_].until = readings();
    for (auto& version : versions_) TAKT_CHECK(version.object == nullptr || version.collect());
  }
  SnapshotCell(const SnapshotCell&) = delete;
  SnapshotCell& operator=(const SnapshotCell&) = delete;

  /// Holds the object: short-lived, on the stack.
  class Reader {
   public:
    ~Reader() { version_.done.fetch_add(1, std::memory_order_release); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    const T& operator*() const noexcept { return *version_.object; }
    const T* operator->() const noexcept { return version_.object; }
    /// Of this reading, from 1 without gaps.
    std::uint64_t number() const noexcept { return number_; }

   private:
    friend class SnapshotCell;
    Reader(Version& version, std::uint64_t number) noexcept : version_(version), number_(number) {}
    Version& version_;
    const std::uint64_t number_;
  };

  /// Real-time: wait-free.
  Reader read() const noexcept {
    const auto word = word_.fetch_add(1);
    return Reader(versions_[word >> kCountBits], (word & kCountMask) + 1);
  }

  /// How many have begun. Real-time: wait-free.
  std::uint64_t readings() const noexcept { return word_.load() & kCountMask; }
  /// The same, each as often as its object weighs. Real-time: lock-free, tries again when the object is
  /// replaced meanwhile.
  std::uint64_t weighed_readings() const noexcept {
    for (;;) {
      const auto word = word_.load();
      const auto& version = versions_[word >> kCountBits];
      const auto weighed = version.offset.load() + (word & kCountMask) * version.weight.load();
      if (word_.load() >> kCountBits == word >> kCountBits) return weighed;
    }
  }

  /// The writers' own view.
  const T& current() const noexcept { return *versions_[current_].object; }

  /// May allocate. The old object is disposed of by a later collect(). Waits only while readers that were
  /// stopped in the middle hold each of the last kVersions - 1 objects.
  void replace(std::unique_ptr<T> next, std::uint64_t weight = 0) {
    const auto place = free_place();
    auto& version = versions_[place];
    auto& old = versions_[current_];
    version.object = next.release();
    version.done.store(0);
    version.weight.store(weight);
    auto word = word_.load();
    do {  // modulo 2^64, so that it may be below zero
      version.from = word & kCountMask;
      version.offset.store(old.offset.load() + version.from * (old.weight.load() - weight));
    } while (!word_.compare_exchange_weak(word, place << kCountBits | version.from));
    old.until = version.from;
    current_ = place;
  }

  /// Disposes of the replaced objects that nobody can hold any more. True while some are left.
  bool collect() noexcept {
    bool left = false;
    for (std::uint64_t i = 0; i < kVersions; ++i) {
      if (i != current_ && versions_[i].object != nullptr) left = !versions_[i].collect() || left;
    }
    return left;
  }

 private:
  static constexpr std::uint64_t kVersions = 16;
  static constexpr unsigned kCountBits = 60;
  static constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kCountBits) - 1;

  struct alignas(64) Version {
    std::atomic<std::uint64_t> done{0};
    T* object = nullptr;
    std::uint64_t from = 0;   // readings of the cell when it became the current one
    std::uint64_t until = 0;  // and when it was replaced
    // Weighed readings of the cell = offset + weight * readings, while this is the current one.
    std::atomic<std::uint64_t> offset{0};
    std::atomic<std::uint64_t> weight{0};

    bool collect() noexcept {
      if (done.load(std::memory_order_acquire) != until - from) return false;
      dispose(std::unique_ptr<T>(std::exchange(object, nullptr)));
      return true;
    }
  };

  std::uint64_t free_place() noexcept {
    for (;; std::this_thread::sleep_for(std::chrono::microseconds{50})) {
      collect();
      for (std::uint64_t i = 1; i < kVersions; ++i) {  // in turn, so that weighed_readings() sees the change
        const auto place = (current_ + i) % kVersions;
        if (versions_[place].object == nullptr) return place;
      }
    }
  }

  mutable std::array<Version, kVersions> versions_;
  mutable std::atomic<std::uint64_t> word_{0};
  std::uint64_t current_ = 0;  // the writers' own
};

}  // namespace takt
