// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "takt/core/segment.hpp"
#include "takt/core/slot_set.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/domain.hpp"
#include "takt/transport/shm/layout.hpp"
#include "takt/transport/shm/message.hpp"

namespace takt::shm {

enum class History : std::uint8_t {
  keep_last,  ///< the newest message displaces the oldest
  keep_all,   ///< a message is refused rather than displace one that a reader has not taken
};

inline constexpr std::uint32_t kMostDepth = 32'767;

struct WriterOptions {
  TypeHash type_hash{};
  std::string type_name;  ///< at most 255 bytes, as the topic
  std::string topic;
  std::uint64_t lease = 0;      ///< id of this process's lease in the domain
  std::uint64_t publisher = 0;  ///< tells the publishers of the domain apart
  History history = History::keep_last;
  std::uint32_t depth = 1;       ///< messages that readers can still take
  std::uint32_t retained = 0;    ///< how many of those a late transient-local reader gets: at most depth
  std::uint32_t readers = 256;   ///< most readers at a time, up to 1024
  std::size_t max_size = 0;      ///< largest message in bytes, up to 64 MiB
  std::size_t reserved = 16384;  ///< bytes (at most max_size) that every slot has memory for from the start
  /// Messages that readers hold, or that are being filled, beyond `depth`: when all are in use a message is
  /// refused. Slots take memory when they are first used beyond `reserved`.
  std::uint32_t spare = 16;
};

/// Why a message was not published.
enum class Refusal : std::uint8_t {
  none,
  too_large,     ///< beyond max_size
  not_reserved,  ///< no free slot has memory for it, and this call may not ask the kernel
  no_memory,     ///< the file system is full
  no_slot,       ///< every slot is retained, held by a reader or being filled
  full,          ///< keep_all: a reader has not taken the oldest
  unwritable,    ///< a string is longer than its type allows
};
inline constexpr std::size_t kRefusals = 7;
const char* to_string(Refusal refusal) noexcept;

struct CommitResult {
  std::uint64_t sequence = 0;       ///< of this writer, from 1, without gaps
  std::uint32_t delivered = 0;      ///< readers that were told
  bool displaced = false;           ///< an older message can no longer be taken
  Refusal refusal = Refusal::none;  ///< then all else is empty
};

struct WriterCounters {
  std::uint64_t committed = 0;
  std::array<std::uint64_t, kRefusals> refused{};  ///< messages that were given up, by Refusal
  std::size_t largest_wanted = 0;                  ///< largest size that was not_reserved
  std::uint64_t taken = 0, lost = 0, corrupt = 0;  ///< of all readers, those that have left included
  std::uint32_t readers = 0;
  std::uint32_t slots_free = 0, slots_held = 0;  ///< held by readers though no longer in the ring
};

/// A publisher's file in shared memory, which it alone writes. A message is filled in place and becomes
/// visible with commit(): a process that dies or is preempted meanwhile hinders nobody. begin() and commit()
/// may be called by several threads at a time.
class Writer {
 public:
  class Filling;

  /// Creates the file, complete with its memory, under a random name. Errors: SetupError. May block.
  static std::unique_ptr<Writer> create(const Domain& domain, std::shared_ptr<Bells> bells,
                                        const WriterOptions& options);
  /// Removes the file. Readers that have it mapped keep what they hold and can take what is left.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Removes the file already: no new reader finds it. Any thread, once; nobody may reserve any more.
  void unpublish() noexcept { segment_->unpublish(); }

  const std::filesystem::path& path() const noexcept { return segment_->path(); }

  /// A free slot to fill, or why there is none: counted if that is committed. Real-time: lock-free, no system
  /// call; touches memory that is there already.
  Filling begin(std::size_t size) noexcept;
  /// As begin(), but gives the slot its memory if it has none yet. May block.
  Filling begin_growing(std::size_t size) noexcept;

  /// Makes it visible and wakes who waits, highest priority first. Of a refused one: counts and says so.
  /// Real-time: lock-free; a futex wake for each sleeping executor.
  CommitResult commit(Filling&& filling, const MessageHeader& header) noexcept;

  /// Gives every slot memory for `size` bytes, and may do so while others publish. False when there is none
  /// left. May block.
  bool reserve(std::size_t size) noexcept;
  /// Frees the rows and holds of dead readers; returns how many readers those were. To be called when a peer
  /// has died, and when no_slot or full was counted. May block.
  std::uint32_t reclaim() noexcept;

  /// How many readers would be told of a message committed now, and whether any would. Real-time: wait-free
  /// (a look at each row).
  std::uint32_t listeners() const noexcept;
  bool watched() const noexcept;
  WriterCounters counters() const noexcept;

 private:
  friend struct TestAccess;
  Writer(const Domain& domain, std::shared_ptr<Bells> bells, const WriterOptions& options, Segment segment,
         const layout::Geometry& geometry);

  void count_refused(Refusal reason) noexcept;
  Filling filling_of(std::uint32_t slot, std::size_t size) noexcept;
  bool is_full() const noexcept;
  bool taken_by_all(std::uint64_t sequence) const noexcept;
  std::optional<std::uint32_t> take_slot() noexcept;
  std::optional<std::uint32_t> take_slot_of(std::size_t size) noexcept;
  bool grow(std::uint32_t slot, std::size_t size) noexcept;
  void retire(std::uint32_t slot) noexcept;
  void free_released() noexcept;
  CommitResult append(std::uint32_t slot) noexcept;
  void ring(CommitResult& result) noexcept;

  std::filesystem::path folder_;
  std::shared_ptr<Bells> bells_;
  std::shared_ptr<Segment> segment_;
  layout::Access access_;
  std::uint64_t lease_;
  bool keep_all_;

  // Whose a slot is, which no other process needs to know: every slot is free, being filled (a Filling's), in
  // the ring, or retired (out of the ring, but held by a reader when last looked).
  SlotSet free_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> retired_;  // a bit a slot
  std::atomic<std::uint32_t> retired_count_{0};
  std::unique_ptr<std::atomic<std::size_t>[]> memory_;  // bytes that a slot has; only grows

  std::array<std::atomic<std::uint64_t>, kRefusals> refused_{};
  std::atomic<std::size_t> largest_wanted_{0};
};

/// A slot that is being filled. Destroyed without commit it is given back, and nobody has seen it. Must not
/// outlive its writer.
class [[nodiscard]] Writer::Filling {
 public:
  ~Filling();
  Filling(Filling&& other) noexcept
      : writer_(std::exchange(other.writer_, nullptr)),
        slot_(other.slot_),
        bytes_(other.bytes_),
        refusal_(other.refusal_) {}
  Filling& operator=(Filling&&) = delete;

  /// Of a message that there is no slot for, or that cannot be written.
  explicit Filling(Refusal refusal) noexcept : refusal_(refusal) {}

  explicit operator bool() const noexcept { return refusal_ == Refusal::none; }
  Refusal refusal() const noexcept { return refusal_; }
  /// As many bytes as were asked for, at an address that is a multiple of 64. Holds an older message's bytes.
  std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// For a size that is known only afterwards: at most what was asked for.
  void shrink(std::size_t size) noexcept { bytes_ = bytes_.first(std::min(size, bytes_.size())); }

 private:
  friend class Writer;
  Filling(Writer& writer, std::uint32_t slot, std::span<std::byte> bytes) noexcept
      : writer_(&writer), slot_(slot), bytes_(bytes) {}

  Writer* writer_ = nullptr;
  std::uint32_t slot_ = 0;
  std::span<std::byte> bytes_;
  Refusal refusal_ = Refusal::none;
};

}  // namespace takt::shm
