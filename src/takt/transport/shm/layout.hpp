// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "takt/core/segment.hpp"
#include "takt/transport/shm/message.hpp"

/// How a publisher's file is laid out: docs/formats/shared-memory.md. Internal to this folder.
namespace takt::shm::layout {

inline constexpr std::array<char, 8> kMagic = {'t', 'a', 'k', 't', '-', 's', 'h', 'm'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kNameSize = 256;  // with the closing zero; longer names are refused

// Limits of this version. A header beyond them is refused before anything is computed from it.
inline constexpr std::uint64_t kLargestMessage = 64U << 20U;
inline constexpr std::uint32_t kMostSlots = 0xffff;
inline constexpr std::uint32_t kMostRows = 1024;

/// Frozen for ever: every version of takt begins so.
struct Prefix {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t reserved;
  TypeHash type_hash;
  std::uint64_t time_namespace;  ///< inode of /proc/self/ns/time: whose CLOCK_MONOTONIC the times are of
  std::uint64_t reserved2;
};
static_assert(sizeof(Prefix) == 64);

struct Header {
  Prefix prefix;
  std::uint32_t slots;
  std::uint32_t rows;
  std::uint32_t depth;     ///< entries of the ring
  std::uint32_t retained;  ///< how many of them a late reader may have
  std::uint64_t max_size;
  std::uint64_t keep_all;  ///< 1 or 0
  std::uint64_t lease;     ///< of the writer's process
  std::uint64_t publisher;
  std::array<char, kNameSize> type_name;
  std::array<char, kNameSize> topic;
  std::uint64_t reserved;
  std::uint64_t checksum;  ///< FNV-1a of all before it
};
static_assert(sizeof(Header) == 640 && sizeof(Header) % 64 == 0);

/// What a reader says of itself. It and whoever reclaims it write here.
struct alignas(64) Row {
  std::atomic<std::uint64_t> owner;  ///< lease of its process; 0: free
  std::atomic<std::uint64_t> next;   ///< sequence that it takes next
  std::atomic<std::uint64_t> taken;
  std::atomic<std::uint64_t> lost;     ///< overwritten before it took them
  std::atomic<std::uint64_t> corrupt;  ///< entries that cannot be
};

struct alignas(64) Control {
  std::atomic<std::uint32_t> rows_used;  ///< no row beyond has ever been used
  std::atomic<std::uint64_t> departed_taken;
  std::atomic<std::uint64_t> departed_lost;  ///< of readers that have left
};

struct alignas(64) RingHead {
  std::atomic<std::uint64_t> next;      ///< sequence that is committed next, or one before it
  std::atomic<std::uint64_t> reserved;  ///< bytes that every slot has memory for
};

/// Stands before a message's bytes.
struct alignas(64) SlotHeader {
  std::atomic<std::uint64_t> size;
  std::atomic<std::int64_t> published;
  std::atomic<std::uint64_t> origin;
  std::atomic<std::int64_t> origin_time;
  std::atomic<std::uint64_t> publisher;
};
static_assert(sizeof(SlotHeader) == 64 && sizeof(Row) == 64 && sizeof(RingHead) == 64 &&
              sizeof(Control) == 64);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// An entry of the ring: sequence (from 1; 0: none yet) and slot in one word.
inline constexpr unsigned kSlotBits = 16;
constexpr std::uint64_t pack(std::uint64_t sequence, std::uint32_t slot) {
  return (sequence << kSlotBits) | slot;
}
constexpr std::uint64_t sequence_of(std::uint64_t entry) { return entry >> kSlotBits; }
constexpr std::uint32_t slot_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry & ((std::uint64_t{1} << kSlotBits) - 1));
}

/// The places of things, computed and never read from the file.
struct Geometry {
  Geometry(std::uint32_t slots, std::uint32_t rows, std::uint32_t depth, std::uint64_t max_size);

  std::uint32_t slots, rows, depth;
  std::uint64_t max_size;
  std::uint32_t hold_words;  // 64-bit words of a slot's bitmap of holds
  std::size_t hold_stride, slot_stride;
  std::size_t control, wakes, row, holds;  // control pages begin at `control`
  std::size_t ring, entries;               // and end at `ring`: from there on only the writer writes
  std::size_t data, end;
};

/// A copy of a segment's header that holds together, and whose geometry is that of the file.
struct CheckedHeader {
  Header header;
  Geometry geometry;
};

/// Reads the header once. Errors: a SetupError that names the file and what is wrong: not takt's, another
/// version, another type, another time namespace, damaged, truncated.
CheckedHeader check_header(const Segment& segment, const TypeHash* expected_type);

std::uint64_t checksum_of(const Header& header) noexcept;
std::uint64_t own_time_namespace();

/// Typed access to a mapped file. Every index must be checked before.
class Access {
 public:
  Access(std::byte* base, const Geometry& geometry) noexcept : base_(base), geometry_(geometry) {}

  const Geometry& geometry() const noexcept { return geometry_; }
  Control& control() const noexcept { return at<Control>(geometry_.control); }
  /// The bell of a row's reader plus one; 0: none.
  std::atomic<std::uint32_t>& wake(std::uint32_t row) const noexcept {
    return at<std::atomic<std::uint32_t>>(geometry_.wakes + row * sizeof(std::uint32_t));
  }
  Row& row(std::uint32_t row) const noexcept { return at<Row>(geometry_.row + row * sizeof(Row)); }
  std::atomic<std::uint64_t>& hold(std::uint32_t slot, std::uint32_t word) const noexcept {
    return at<std::atomic<std::uint64_t>>(geometry_.holds + slot * geometry_.hold_stride +
                                          word * sizeof(std::uint64_t));
  }
  RingHead& head() const noexcept { return at<RingHead>(geometry_.ring); }
  std::atomic<std::uint64_t>& entry(std::uint64_t sequence) const noexcept {
    return at<std::atomic<std::uint64_t>>(geometry_.entries +
                                          sequence % geometry_.depth * sizeof(std::uint64_t));
  }
  SlotHeader& slot(std::uint32_t slot) const noexcept {
    return at<SlotHeader>(geometry_.data + slot * geometry_.slot_stride);
  }
  std::byte* bytes(std::uint32_t slot) const noexcept {
    return base_ + geometry_.data + slot * geometry_.slot_stride + sizeof(SlotHeader);
  }

  /// Rows that may be in use: never more than there are, whatever the file says.
  std::uint32_t rows_used() const noexcept;
  bool is_held(std::uint32_t slot) const noexcept;

 private:
  template <class T>
  T& at(std::size_t offset) const noexcept {
    return *reinterpret_cast<T*>(base_ + offset);
  }

  std::byte* base_;
  Geometry geometry_;
};

}  // namespace takt::shm::layout
