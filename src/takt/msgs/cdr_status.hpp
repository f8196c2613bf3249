// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace takt::msgs {

/// Why bytes are no message of a type.
enum class CdrProblem : std::uint8_t {
  kNone,
  kHeader,  ///< no plain CDR: the first two bytes are neither 00 00 (big endian) nor 00 01 (little endian)
  kEnd,     ///< the bytes end before the field does
  kLength,  ///< a length announces more than the bytes that are left can hold
  kBound,   ///< longer than the type allows
  kTerminator,  ///< a string does not end with a zero byte
  kBool,        ///< a bool is neither 0 nor 1
  kCharacter,   ///< a wide character is over 16 bits
};

/// What decoding found. True when all is well. Made without allocation: real-time code may get one and count
/// it.
class [[nodiscard]] CdrStatus {
 public:
  CdrStatus() = default;
  CdrStatus(CdrProblem problem, std::size_t offset, std::uint64_t value) noexcept
      : problem_(problem), offset_(offset), value_(value) {}

  explicit operator bool() const noexcept { return problem_ == CdrProblem::kNone; }
  CdrProblem problem() const noexcept { return problem_; }
  /// Where in the bytes, counted from the first of the encapsulation header.
  std::size_t offset() const noexcept { return offset_; }
  /// Names the field on the way out of nested messages, innermost first. The text must outlive the status.
  void add_field(const char* name) noexcept {
    if (depth_ < fields_.size()) fields_[depth_++] = name;
  }
  /// "header.frame_id: 4294967295 bytes are announced, 8 are left (at byte 12)". May allocate.
  std::string text() const;

 private:
  CdrProblem problem_ = CdrProblem::kNone;
  std::uint8_t depth_ = 0;
  std::size_t offset_ = 0;
  std::uint64_t value_ = 0;
  std::array<const char*, 6> fields_{};
};

}  // namespace takt::msgs
