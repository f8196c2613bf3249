// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "takt/graph/message_info.hpp"
#include "takt/transport/shm/writer.hpp"

namespace takt {

class House;

/// What a publisher sent to other processes of this host.
struct OutletCounters {
  std::uint64_t sent = 0;       ///< messages; none is written while nobody reads
  std::uint64_t delivered = 0;  ///< sum over the readers that were told
  std::uint64_t taken = 0;      ///< sum over the readers
  std::uint64_t lost = 0;       ///< sum over the readers: overwritten before they were taken
  std::uint64_t refused = 0;    ///< messages that were not sent: too large, no memory, all slots in use, full
  std::uint32_t readers = 0;
};

/// A publisher's segment in shared memory, which the readers of other processes read.
class Outlet {
 public:
  /// `watched_always`: messages are written whether anybody reads them or not, for those who come later.
  Outlet(House& house, std::unique_ptr<shm::Writer> writer, std::uint64_t publisher, bool watched_always)
      : house_(house), writer_(std::move(writer)), publisher_(publisher), watched_always_(watched_always) {}

  /// Whether a message is worth writing. Real-time: wait-free.
  bool watched() const noexcept { return watched_always_ || heard(); }
  /// Whether another process would be told of a message now. Real-time: wait-free.
  bool heard() const noexcept { return writer_->watched(); }
  /// Subscriptions of other processes that would be told of a message now. Real-time: wait-free.
  std::uint32_t listeners() const noexcept { return writer_->listeners(); }

  /// Room for a message. On a thread without real-time scheduling a slot grows where it has to (may block);
  /// on one with it such a message is refused and counted, and the house makes room for the next.
  /// Otherwise real-time: lock-free, no system call.
  shm::Writer::Filling begin(std::size_t size) noexcept;
  /// Real-time: lock-free; a futex wake for each executor that sleeps. Readers that were told.
  shm::CommitResult commit(shm::Writer::Filling&& filling, const MessageInfo& info) noexcept;

  /// Frees what dead readers held. May block.
  void reclaim() noexcept { writer_->reclaim(); }
  /// House: makes the room that was refused. True when there was something to do.
  bool serve() noexcept;
  OutletCounters counters() const noexcept;
  /// No new reader finds it. What is lent of it stays valid for as long as this lives.
  void close() noexcept { writer_->unpublish(); }
  std::string file_name() const { return writer_->path().filename(); }

 private:
  House& house_;
  std::unique_ptr<shm::Writer> writer_;
  std::uint64_t publisher_;
  bool watched_always_;
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::size_t> wanted_{0};       // bytes that a slot should have had
  std::atomic<bool> reclaim_wanted_{false};  // all slots were in use: a dead reader may hold some
};

}  // namespace takt
