// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "takt/core/time.hpp"
#include "takt/graph/disposal.hpp"
#include "takt/graph/message_info.hpp"
#include "takt/graph/snapshot_cell.hpp"
#include "takt/transport/shm/endpoint.hpp"
#include "takt/transport/shm/reader.hpp"

namespace takt {

struct InletCounters {
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;     ///< overwritten before they were taken, or beyond the subscription's depth
  std::uint64_t corrupt = 0;  ///< the publisher's memory was damaged
};

/// The publishers of other processes that one subscription reads, each in its own segment.
class InletSet {
 public:
  InletSet() : inlets_(std::make_unique<List>()) {}

  struct Taken {
    shm::Reader::View view;
    MessageInfo info;
    SteadyTime release{};  ///< when it was published, or when the subscription joined if that was later
  };
  /// Takes the oldest message of one publisher, of each in turn; empty when there is none, or another thread
  /// is about to take it. Real-time: lock-free, allocates nothing, no system call.
  std::optional<Taken> take() noexcept;
  /// Whether there is a message that no other thread is about to take. Real-time: wait-free.
  bool ready() const noexcept;
  /// When the newest message of all was published, whether it was taken or not; the earliest time when there
  /// is none. Real-time: wait-free.
  SteadyTime newest() const noexcept;
  /// Real-time: wait-free.
  std::size_t size() const noexcept { return count_.load(std::memory_order_relaxed); }

  // What follows: any thread; may block and allocate.

  /// The reader's bell becomes that of the set.
  void add(shm::EndpointId publisher, std::unique_ptr<shm::Reader> reader);
  /// What it has committed can still be taken, then it is removed. False: it is not there.
  bool close(shm::EndpointId publisher) noexcept;
  /// The executor that shall be rung has changed. Look for messages afterwards.
  void set_bell(std::uint32_t row) noexcept;
  std::uint32_t bell() const noexcept { return bell_.load(); }
  void clear();
  InletCounters counters() const;
  /// Lets go of closed ones that are empty, and of old lists. True while there is something left to do.
  bool collect();

 private:
  struct Inlet {
    shm::EndpointId publisher = 0;
    std::unique_ptr<shm::Reader> reader;
    SteadyTime joined{};
    std::atomic<bool> busy{false};    ///< a thread takes; no other waits for it
    std::atomic<bool> closed{false};  ///< the publisher is gone
  };
  struct List final : Disposable {
    std::vector<std::shared_ptr<Inlet>> inlets;
  };

  static Taken stamped(shm::Reader::View&& view, const Inlet& inlet) noexcept;
  void replace(std::vector<std::shared_ptr<Inlet>> inlets);
  static void add_counters(const Inlet& inlet, InletCounters& sum) noexcept;

  SnapshotCell<List> inlets_;
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> turn_{0};
  std::atomic<std::uint32_t> bell_{0};
  mutable std::mutex mutex_;  // guards the list's replacement and departed_
  InletCounters departed_;    // of those that were removed
};

}  // namespace takt
