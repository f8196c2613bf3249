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

struct Counts {
  int all = 0;
  int fixed = 0;
};

template <typename T>
void compare_layouts(const TypeDescription& type) {
  static_assert(kPlain<T>, "a type of fixed size whose C++ layout is not plain CDR cannot be lent");
  const std::vector<std::byte> bytes = testing::RandomMessage(11).of(type);
  T message;
  ASSERT_TRUE(decode(bytes, message)) << type.name;
  ASSERT_LE(kLayout<T>.size, sizeof(T)) << type.name;
  ASSERT_EQ((kCdrHeaderSize + kLayout<T>.size + 3) / 4 * 4, bytes.size()) << type.name;

  std::vector<std::byte> again(bytes.size());
  ASSERT_EQ(encode(message, again), bytes.size()) << type.name;
  EXPECT_EQ(again, bytes) << type.name;

  T in_place;  // the bytes laid over the struct are the message
  std::memcpy(static_cast<void*>(&in_place), bytes.data() + kCdrHeaderSize, kLayout<T>.size);
  EXPECT_EQ(in_place, message) << type.name;
}

template <typename T>
void count_and_compare(TypeCatalog& catalog, Counts& counts) {
  ++counts.all;
  if constexpr (kLayout<T>.fixed) {
    ++counts.fixed;
    compare_layouts<T>(*catalog.get(Fields<T>::kName));
  }
}

TEST(PlainTest, EveryTypeOfFixedSizeIsLaidOutAsPlainCdr) {
  TypeCatalog catalog;
  Counts counts;
#define TAKT_COMPARE(type) count_and_compare<type>(catalog, counts);
  EVERY_TYPE(TAKT_COMPARE)
#undef TAKT_COMPARE
  RecordProperty("types", counts.all);
  RecordProperty("of_fixed_size", counts.fixed);
  EXPECT_GE(counts.fixed, 67);
  EXPECT_GT(counts.all, 200);
}

/// What the real types do not show: gaps that differ, and a type that is no multiple of its alignment.
static_assert(!kPlain<std_msgs::msg::String>);
static_assert(kBlock<geometry_msgs::msg::Pose> && !kBlock<sensor_msgs::msg::RegionOfInterest>);
static_assert(!kLayout<std::array<sensor_msgs::msg::RegionOfInterest, 2>>.fixed ||
              kLayout<std::array<sensor_msgs::msg::RegionOfInterest, 2>>.size == 37);

}  // namespace
}  // namespace takt::msgs
