// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "takt/msgs/cdr_status.hpp"
#include "takt/msgs/cdr_writer.hpp"

namespace takt::msgs {

/// Reads plain CDR of either byte order, after its encapsulation header. The bytes may be anything: whatever
/// they are, nothing outside of them is touched. After the first false, status() says what is wrong.
/// Wait-free, no allocation.
class CdrReader {
 public:
  explicit CdrReader(std::span<const std::byte> bytes) noexcept {
    if (bytes.size() < kCdrHeaderSize) {
      fail_at(0, CdrProblem::kEnd, 0);
      return;
    }
    const unsigned representation =
        std::to_integer<unsigned>(bytes[0]) << 8U | std::to_integer<unsigned>(bytes[1]);
    if (representation > 1) fail_at(0, CdrProblem::kHeader, representation);
    swap_ = representation == 0;
    body_ = bytes.subspan(kCdrHeaderSize);
  }

  template <typename T>
  requires std::is_arithmetic_v<T>
  bool get(T& value) noexcept {
    if (!align(sizeof(T), sizeof(T))) return false;
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = std::to_integer<unsigned>(body_[position_]);
      if (byte > 1) return fail(CdrProblem::kBool, byte);
      value = byte == 1;
    } else {
      std::memcpy(&value, body_.data() + position_, sizeof(T));
      if (swap_) value = swapped(value);
    }
    position_ += sizeof(T);
    return true;
  }

  /// A block of bytes in place, after padding to `alignment`; they are in the sender's byte order.
  bool get_bytes(std::size_t size, std::size_t alignment, const std::byte*& data) noexcept {
    if (!align(alignment, size)) return false;
    data = body_.data() + position_;
    position_ += size;
    return true;
  }

  /// A number of elements, each of which takes `element_size` bytes at least.
  bool get_length(std::size_t element_size, std::uint32_t& length) noexcept {
    if (!get(length)) return false;
    if (length > remaining() / std::max<std::size_t>(element_size, 1))
      return fail_length(CdrProblem::kLength, length);
    return true;
  }

  /// A string in place, without its zero byte, of `bound` bytes at most (0: no bound).
  bool get_string(std::size_t bound, const char*& data, std::size_t& size) noexcept {
    std::uint32_t length = 0;
    if (!get_length(1, length)) return false;
    size = length == 0 ? 0 : length - 1;
    if (bound != 0 && size > bound) return fail_length(CdrProblem::kBound, size);
    data = reinterpret_cast<const char*>(body_.data()) + position_;
    if (length > 0 && data[size] != '\0') return fail(CdrProblem::kTerminator, 0);
    position_ += length;
    return true;
  }

  bool fail(CdrProblem problem, std::uint64_t value) noexcept {
    return fail_at(kCdrHeaderSize + position_, problem, value);
  }
  /// As fail(), of the length that was read last.
  bool fail_length(CdrProblem problem, std::uint64_t value) noexcept {
    return fail_at(position_, problem, value);
  }

  bool good() const noexcept { return static_cast<bool>(status_); }
  CdrStatus& status() noexcept { return status_; }
  /// Whether the sender's byte order is another one.
  bool swaps() const noexcept { return swap_; }
  std::size_t remaining() const noexcept { return body_.size() - position_; }

 private:
  bool align(std::size_t alignment, std::size_t size) noexcept {
    const std::size_t gap = (0 - position_) & (alignment - 1);
    if (remaining() < gap || remaining() - gap < size || !good()) return good() && fail(CdrProblem::kEnd, 0);
    position_ += gap;
    return true;
  }
  bool fail_at(std::size_t offset, CdrProblem problem, std::uint64_t value) noexcept {
    status_ = CdrStatus(problem, offset, value);
    return false;
  }
  template <typename T>
  static T swapped(T value) noexcept {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    std::reverse(bytes, bytes + sizeof(T));
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  std::span<const std::byte> body_;
  std::size_t position_ = 0;
  bool swap_ = false;
  CdrStatus status_;
};

}  // namespace takt::msgs
