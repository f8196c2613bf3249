// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "takt/msgs/decode.hpp"
#include "takt/msgs/describe.hpp"
#include "takt/msgs/encode.hpp"
#include "takt/transport/shm/message.hpp"

/// How a message lies in shared memory: shm::kLead zero bytes, then what ROS 2 has on the wire
/// (docs/formats/shared-memory.md).
namespace takt::wire {

/// Types that can leave the process: ROS messages. Others stay within it.
template <class T>
concept Crossing = msgs::HasFields<T>;

inline constexpr std::size_t kBody = shm::kLead + msgs::kCdrHeaderSize;  ///< where the fields begin
static_assert(kBody % 8 == 0, "a plain message is read where it lies");

/// The struct and its bytes are the same, whatever they are: it can be filled and read where it lies.
template <class T>
consteval bool in_place() {
  if constexpr (Crossing<T>) {
    return msgs::kPlain<T> && !msgs::kLayout<T>.has_bool && alignof(T) <= 8;
  } else {
    return false;
  }
}

/// Bytes of each message of a type of fixed size.
template <Crossing T>
inline constexpr std::size_t kSize = kBody + (msgs::kLayout<T>.size + 3) / 4 * 4;

/// The largest message of a type in bytes, with room for the whole struct; 0: it has no bound.
template <Crossing T>
constexpr std::size_t largest() {
  if constexpr (msgs::kLayout<T>.fixed) {
    return std::max(kSize<T>, kBody + sizeof(T));
  } else {
    return 0;
  }
}

/// Bytes that fill() needs. Wait-free.
template <Crossing T>
std::size_t size_of(const T& message) noexcept {
  if constexpr (in_place<T>()) {
    return kSize<T>;
  } else {
    return shm::kLead + msgs::serialized_size(message);
  }
}

/// The bytes before a plain message that is filled in place.
inline void write_head(std::span<std::byte> bytes) noexcept {
  constexpr std::array<unsigned char, kBody> kHead = {0, 0, 0, 0, 0, 1, 0, 0};
  std::memcpy(bytes.data(), kHead.data(), kBody);
}

/// False when a string is longer than its type allows. Wait-free, no allocation.
template <Crossing T>
bool fill(const T& message, std::span<std::byte> bytes) noexcept {
  std::memset(bytes.data(), 0, shm::kLead);
  return msgs::encode(message, bytes.subspan(shm::kLead)) != 0;
}

/// Whether the bytes can be read as a T where they lie.
template <Crossing T>
bool readable_in_place(std::span<const std::byte> bytes) noexcept {
  constexpr std::array<unsigned char, 2> kLittleEndian = {0, 1};  // plain CDR; what follows are options
  return bytes.size() >= kBody + msgs::kLayout<T>.size &&
         std::memcmp(bytes.data() + shm::kLead, kLittleEndian.data(), kLittleEndian.size()) == 0;
}

/// False when the bytes are no T. May allocate where fields outgrow those of `message`.
template <Crossing T>
bool read(std::span<const std::byte> bytes, T& message) {
  if (bytes.size() < kBody) return false;
  return static_cast<bool>(msgs::decode(bytes.subspan(shm::kLead), message));
}

}  // namespace takt::wire
