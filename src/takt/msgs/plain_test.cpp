// SPDX-License-Identifier: Apache-2.0
// Of every type of fixed size that comes with takt: its struct is its plain CDR. A message that Fast-CDR
// wrote is decoded, compared with the bytes, and encoded again.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "all_types.inc"  // generated: the headers of all types, and EVERY_TYPE(X)
#include "takt/msgs/cdr.hpp"
#include "takt/msgs/describe.hpp"
#include "takt/msgs/testing/random_message.hpp"

namespace takt::msgs {
namespace {

/// What is wrong with the layout of a type, given a message of it; empty if nothing is. Few lines and no
/// assertions, since the compiler does this for every type.
template <typename T>
std::string fault_of(const std::vector<std::byte>& bytes) {
  static_assert(kPlain<T>, "a type of fixed size whose C++ layout is not plain CDR cannot be lent");
  static_assert(kLayout<T>.size <= sizeof(T));
  if ((kCdrHeaderSize + kLayout<T>.size + 3) / 4 * 4 != bytes.size()) return "its size";
  T message;
  if (!decode(bytes, message)) return "decoding";
  std::vector<std::byte> again(bytes.size());
  if (encode(message, again) != bytes.size() || again != bytes) return "encoding";
  T in_place;  // the bytes laid over the struct are the message
  std::memcpy(static_cast<void*>(&in_place), bytes.data() + kCdrHeaderSize, kLayout<T>.size);
  return in_place == message ? "" : "a member's place";
}

struct Type {
  const char* name;
  std::string (*fault)(const std::vector<std::byte>&);  ///< null: not of fixed size
};

template <typename T>
constexpr Type type_of() {
  if constexpr (kLayout<T>.fixed) return {Fields<T>::kName, fault_of<T>};
  return {Fields<T>::kName, nullptr};
}

#define TAKT_TYPE(type) type_of<type>(),
constexpr Type kTypes[] = {EVERY_TYPE(TAKT_TYPE)};
#undef TAKT_TYPE

TEST(PlainTest, EveryTypeOfFixedSizeIsLaidOutAsPlainCdr) {
  TypeCatalog catalog;
  int fixed = 0;
  for (const Type& type : kTypes) {
    if (type.fault == nullptr) continue;
    ++fixed;
    EXPECT_EQ(type.fault(testing::RandomMessage(11).of(*catalog.get(type.name))), "") << type.name;
  }
  RecordProperty("of_fixed_size", fixed);
  EXPECT_GE(fixed, 67);
  EXPECT_GT(std::size(kTypes), 200U);
}

/// What the real types do not show: gaps that differ, and a type that is no multiple of its alignment.
static_assert(!kPlain<std_msgs::msg::String>);
static_assert(kBlock<geometry_msgs::msg::Pose> && !kBlock<sensor_msgs::msg::RegionOfInterest>);
static_assert(!kLayout<std::array<sensor_msgs::msg::RegionOfInterest, 2>>.fixed ||
              kLayout<std::array<sensor_msgs::msg::RegionOfInterest, 2>>.size == 37);

}  // namespace
}  // namespace takt::msgs
