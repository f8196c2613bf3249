// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "takt/core/time.hpp"

namespace takt::lab::comm {

inline constexpr std::size_t kMostReaders = 1024;

/// What one round measures; the same for every stack.
struct Round {
  std::uint32_t readers = 1;
  std::uint32_t size = 64;  ///< bytes of payload; index and time stamp come on top
  std::uint32_t samples = 500;
  std::uint32_t warmup = 20;  ///< messages before those, not recorded
  std::int64_t period_ns = 1'000'000;
  bool touched = true;       ///< the sender fills every byte and the readers read every byte
  bool poll = false;         ///< readers look all the time instead of sleeping
  std::int32_t fifo = 0;     ///< SCHED_FIFO priority of all ends; 0: default scheduling
  bool round_trip = false;   ///< readers answer each message, and the sender records the answers
  std::uint32_t domain = 0;  ///< of a DDS stack: one that nobody else has
};

/// The memory that the processes of a stack share, to say when, and to write down what they measured in a
/// round. No message of a stack passes through it but the floors', which have no other. Behind this head lie
/// arrays whose length depends on the round.
class Stage {
 public:
  struct alignas(64) Word {
    std::atomic<std::uint32_t> value;
  };
  enum Phase : std::uint32_t { kSetUp, kMeasuring, kSent };

  Round round;
  std::array<char, 128> folder;      ///< for a stack that needs one
  std::array<char, 256> channel;     ///< where the sender's data lies, for a stack that does not find it
  std::atomic<bool> channel_open;    ///< it has been written
  std::array<char, 256> reason;      ///< why a runner could not: the first one's words
  std::atomic<bool> reason_taken;    ///< one writes them
  std::atomic<std::uint32_t> ready;  ///< readers that wait for messages
  std::atomic<std::uint32_t> turn;   ///< rounds that the laboratory has asked for; a futex word
  std::atomic<std::uint32_t> phase;  ///< of the sender in this round; a futex word
  std::atomic<bool> over;            ///< all ends come to an end

  // Written by the sender:
  std::atomic<std::uint64_t> first;      ///< index of the first message of this round that is measured
  std::atomic<std::uint32_t> sent;       ///< measured messages that it set out to send
  std::atomic<std::int64_t> sending_ns;  ///< how long it took to send them

  std::array<std::atomic<std::uint16_t>, kMostReaders> ports;   ///< of readers that have one
  std::array<std::atomic<std::uint32_t>, kMostReaders> counts;  ///< measured messages received

  // The floors':
  Word broadcast;
  std::array<Word, kMostReaders> bells;
  Word answer_bell;
  std::array<std::atomic<std::uint32_t>, kMostReaders> answers;  ///< how many each reader has given

  std::span<float> publish_us() noexcept;
  std::span<float> latency_us(std::size_t reader) noexcept;
  /// The floors': when each message was sent, as many as a round has; and the payload.
  std::atomic<std::int64_t>& sent_ns(std::uint64_t index) noexcept;
  std::span<std::byte> buffer() noexcept;
  std::span<std::byte> answer_buffer() noexcept;

  static std::size_t bytes_for(const Round& round) noexcept;

 private:
  std::byte* behind(std::size_t offset) noexcept;
};

/// For a reader: message `index` has been received and read.
void record(Stage& stage, std::size_t reader, std::uint64_t index, std::int64_t sent_ns) noexcept;

/// The work of "filled and read".
void fill(void* bytes, std::size_t size, std::uint64_t index) noexcept;
void read(const void* bytes, std::size_t size) noexcept;

}  // namespace takt::lab::comm
