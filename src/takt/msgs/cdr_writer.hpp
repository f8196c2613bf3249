// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

namespace takt::msgs {

/// Bytes of the encapsulation header: 00 01 00 00 says plain CDR, little endian.
inline constexpr std::size_t kCdrHeaderSize = 4;

static_assert(std::endian::native == std::endian::little, "messages are written as they lie in memory");

/// Writes plain CDR, little endian, with its encapsulation header and zeros for padding, into memory that it
/// is given. What does not fit is counted and not written, so that a writer of nothing measures. Wait-free,
/// no allocation.
class CdrWriter {
 public:
  explicit CdrWriter(std::span<std::byte> buffer = {}) noexcept {
    if (buffer.size() < kCdrHeaderSize) return;
    constexpr unsigned char kHeader[kCdrHeaderSize] = {0, 1, 0, 0};
    std::memcpy(buffer.data(), kHeader, kCdrHeaderSize);
    body_ = buffer.data() + kCdrHeaderSize;
    capacity_ = buffer.size() - kCdrHeaderSize;
  }

  template <typename T>
  requires std::is_arithmetic_v<T>
  void put(T value) noexcept {
    align(sizeof(T));
    append(&value, sizeof(T));
  }

  /// Bytes as they are, after padding to `alignment` (1, 2, 4 or 8).
  void put_bytes(const void* data, std::size_t size, std::size_t alignment = 1) noexcept {
    align(alignment);
    append(data, size);
  }

  /// How many elements follow; CDR has 32 bits for it.
  void put_length(std::size_t length) noexcept {
    if (length > std::numeric_limits<std::uint32_t>::max()) refuse();
    put(static_cast<std::uint32_t>(length));
  }

  /// The message cannot be encoded at all.
  void refuse() noexcept { refused_ = true; }
  bool refused() const noexcept { return refused_; }

  /// Pads the end. Returns the bytes of the whole, header included, whether they fitted or not.
  std::size_t finish() noexcept {
    align(4);
    return kCdrHeaderSize + position_;
  }
  /// Whether all that was put has been written.
  bool fitted() const noexcept { return body_ != nullptr && position_ <= capacity_ && !refused_; }

 private:
  void align(std::size_t alignment) noexcept {
    const std::size_t gap = (0 - position_) & (alignment - 1);
    if (position_ + gap <= capacity_ && gap > 0) std::memset(body_ + position_, 0, gap);
    position_ += gap;
  }
  void append(const void* data, std::size_t size) noexcept {
    if (position_ <= capacity_ && size <= capacity_ - position_ && size > 0) {
      std::memcpy(body_ + position_, data, size);
    }
    position_ += size;
  }

  std::byte* body_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t position_ = 0;
  bool refused_ = false;
};

}  // namespace takt::msgs
