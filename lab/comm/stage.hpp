// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "takt/core/time.hpp"

namespace takt::lab::comm {

inline constexpr std::size_t kMostReaders = 64;
inline constexpr std::size_t kMostSamples = 20'000;
inline constexpr std::size_t kLargest = std::size_t{1} << 20U;

/// What one round measures; the same for every stack.
struct Cell {
  std::uint32_t readers = 1;
  std::uint32_t size = 64;  ///< bytes
  std::uint32_t samples = 500;
  std::uint32_t warmup = 20;  ///< messages before those, not recorded
  std::int64_t period_ns = 1'000'000;
  bool touched = true;    ///< the sender fills every byte and the readers read every byte
  bool poll = false;      ///< readers look all the time instead of sleeping
  bool pin = false;       ///< the sender has the first core, the readers share the others
  std::int32_t fifo = 0;  ///< SCHED_FIFO priority of all ends; 0: default scheduling
};

/// The memory that the processes of one round share, to say when, and to write down what they measured. No
/// message of a stack passes through it but the floors', which have no other.
struct Stage {
  struct alignas(64) Word {
    std::atomic<std::uint32_t> value;
  };

  Cell cell;
  std::array<char, 128> folder;       ///< for a stack that needs one
  std::atomic<std::uint32_t> ready;   ///< readers that wait for messages
  std::atomic<std::uint32_t> failed;  ///< processes that could not
  std::atomic<bool> over;

  // The floors':
  Word broadcast;
  std::array<Word, kMostReaders> bells;
  std::array<std::atomic<std::int64_t>, kMostSamples> sent_ns;
  alignas(4096) std::array<std::byte, kLargest> buffer;

  // Results:
  std::array<std::atomic<std::uint32_t>, kMostReaders> counts;
  std::array<std::array<float, kMostSamples>, kMostReaders> latency_us;
  std::array<float, kMostSamples> publish_us;
};

/// For a reader: message `index` has been received and read.
void record(Stage& stage, std::size_t reader, std::uint64_t index, std::int64_t sent_ns) noexcept;

/// The work of "filled and read".
void fill(void* bytes, std::size_t size, std::uint64_t index) noexcept;
void read(const void* bytes, std::size_t size) noexcept;

}  // namespace takt::lab::comm
