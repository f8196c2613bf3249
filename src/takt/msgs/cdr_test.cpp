// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/cdr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <example_interfaces/msg/w_string.hpp>
#include <geometry_msgs/msg/pose_array.hpp>
#include <initializer_list>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rmw_dds_common/msg/node_entities_info.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/bool.hpp>
#include <std_msgs/msg/empty.hpp>
#include <std_msgs/msg/header.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "takt/core/testing/no_allocation.hpp"
#include "takt/msgs/describe.hpp"
#include "takt/msgs/testing/random_message.hpp"

namespace takt::msgs {
namespace {

std::vector<std::byte> octets(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<std::byte> from_hex(const std::string& digits) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

template <typename T>
std::vector<std::byte> encoded(const T& message) {
  std::vector<std::byte> bytes(serialized_size(message));
  EXPECT_EQ(encode(message, bytes), bytes.size());
  return bytes;
}

template <typename T>
std::string refusal(const std::vector<std::byte>& bytes) {
  T message;
  const CdrStatus status = decode(bytes, message);
  return status ? "accepted" : status.text();
}

TEST(CdrTest, AStringIsWhatRos2SendsOverCycloneDds) {
  std_msgs::msg::String message;
  message.data = "hello 10";
  EXPECT_EQ(encoded(message),
            octets({0, 1, 0, 0, 9, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', ' ', '1', '0', 0, 0, 0, 0}));
}

TEST(CdrTest, AParameterEventIsWhatRos2SendsOverCycloneDds) {
  const auto recorded = from_hex(
      "00010000e73b0d6bd22105230d0000002f64656d6f2f74616c6b6572000000000000000001000000"
      "06000000737065656400030000000000000000000000000000000440010000000000000000000000"
      "0000000000000000000000000000000000000000");
  rcl_interfaces::msg::ParameterEvent event;
  const CdrStatus status = decode(recorded, event);
  ASSERT_TRUE(status) << status.text();
  EXPECT_EQ(event.node, "/demo/talker");
  ASSERT_EQ(event.changed_parameters.size(), 1U);
  EXPECT_EQ(event.changed_parameters[0].name, "speed");
  EXPECT_EQ(event.changed_parameters[0].value.double_value, 2.5);
  EXPECT_EQ(encoded(event), recorded);
}

TEST(CdrTest, AnEmptyMessageIsOneByte) {
  EXPECT_EQ(encoded(std_msgs::msg::Empty()), octets({0, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(CdrTest, BigEndianBytesAreDecoded) {
  std_msgs::msg::Header header;
  ASSERT_TRUE(decode(octets({0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 5, 0, 0, 0, 2, 'a', 0}), header));
  EXPECT_EQ(header.stamp.sec, 258);
  EXPECT_EQ(header.stamp.nanosec, 5U);
  EXPECT_EQ(header.frame_id, "a");
}

template <typename T>
void expect_equal_in_both_byte_orders() {
  for (unsigned seed = 0; seed < 8; ++seed) {
    T little;
    T big;
    ASSERT_TRUE(decode(testing::RandomMessage(seed, false).of(describe<T>()), little));
    ASSERT_TRUE(decode(testing::RandomMessage(seed, true).of(describe<T>()), big));
    EXPECT_EQ(little, big);
    EXPECT_EQ(encoded(big), testing::RandomMessage(seed).of(describe<T>()));
  }
}

TEST(CdrTest, FastCdrsMessagesAreDecodedInBothByteOrdersAndEncodedAlike) {
  expect_equal_in_both_byte_orders<geometry_msgs::msg::PoseArray>();
  expect_equal_in_both_byte_orders<sensor_msgs::msg::JointState>();
  expect_equal_in_both_byte_orders<rcl_interfaces::msg::ParameterEvent>();
  expect_equal_in_both_byte_orders<rcl_interfaces::msg::ParameterDescriptor>();
  expect_equal_in_both_byte_orders<example_interfaces::msg::WString>();
}

TEST(CdrTest, AMessageSurvivesTheWay) {
  sensor_msgs::msg::JointState state;
  state.header.frame_id = "arm";
  state.name = {"shoulder", "", "wrist"};
  state.position = {1.5, -2.0};
  state.effort = {0.25};
  sensor_msgs::msg::JointState back;
  back.velocity = {9.0};  // is replaced
  ASSERT_TRUE(decode(encoded(state), back));
  EXPECT_EQ(back, state);

  example_interfaces::msg::WString wide;
  wide.data = u"\u20AC1";
  example_interfaces::msg::WString wide_back;
  ASSERT_TRUE(decode(encoded(wide), wide_back));
  EXPECT_EQ(wide_back, wide);
}

TEST(CdrTest, ABufferThatIsTooSmallIsRefusedAndNothingBehindItIsTouched) {
  sensor_msgs::msg::JointState state;
  state.name = {"shoulder", "elbow"};
  state.position = {1, 2, 3};
  const std::size_t needed = serialized_size(state);
  for (std::size_t size = 0; size < needed; ++size) {
    std::vector<std::byte> memory(needed + 8, std::byte{0xEE});
    ASSERT_EQ(encode(state, std::span(memory).first(size)), 0U) << size;
    ASSERT_TRUE(std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(size), memory.end(),
                            [](std::byte b) { return b == std::byte{0xEE}; }));
  }
}

TEST(CdrTest, EncodingAllocatesNothingAndDecodingIntoAMessageWithRoomNeither) {
  sensor_msgs::msg::JointState state;
  state.name = {"a name that is too long to be kept in the string itself"};
  state.position.resize(100, 1.0);
  sensor_msgs::msg::JointState room = state;
  std::vector<std::byte> slot(4096);
  std::size_t size = 0;
  bool decoded = false;
  {
    const takt::testing::NoAllocation promise;
    size = encode(state, slot);
    decoded = static_cast<bool>(decode(std::span<const std::byte>(slot).first(size), room));
  }
  EXPECT_EQ(size, serialized_size(state));
  EXPECT_TRUE(decoded);
  EXPECT_EQ(room, state);
}

TEST(CdrTest, AStringOverItsBoundIsNotEncoded) {
  rmw_dds_common::msg::NodeEntitiesInfo info;
  info.node_name.assign(256, 'x');
  std::vector<std::byte> slot(4096);
  EXPECT_GT(encode(info, slot), 0U);
  info.node_name += 'x';
  EXPECT_EQ(encode(info, slot), 0U);
}

TEST(CdrTest, WhatIsWrongIsNamed) {
  using std_msgs::msg::Header;
  EXPECT_EQ(refusal<Header>(octets({0, 1})), "the bytes end here (at byte 0)");
  EXPECT_EQ(refusal<Header>(octets({0, 3, 0, 0, 0, 0, 0, 0})),
            "the encapsulation is 0003, not plain CDR (0000 or 0001) (at byte 0)");
  EXPECT_EQ(refusal<Header>(octets({0, 1, 0, 0, 1, 2, 3, 4, 1, 2})),
            "stamp.nanosec: the bytes end here (at byte 8)");
  EXPECT_EQ(refusal<Header>(octets({0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 'a'})),
            "frame_id: a length of 4294967295 is more than the bytes that are left can hold (at byte 12)");
  EXPECT_EQ(refusal<Header>(octets({0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'a', 'b'})),
            "frame_id: the string does not end with a zero byte (at byte 16)");
  EXPECT_EQ(refusal<std_msgs::msg::Bool>(octets({0, 1, 0, 0, 7})),
            "data: a bool is 7, neither 0 nor 1 (at byte 4)");
  EXPECT_EQ(refusal<example_interfaces::msg::WString>(octets({0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0})),
            "data: the wide character 0x10000 has more than 16 bits (at byte 12)");
}

TEST(CdrTest, AStringWithoutEvenAZeroByteIsEmpty) {
  std_msgs::msg::String message;
  message.data = "old";
  EXPECT_TRUE(decode(octets({0, 1, 0, 0, 0, 0, 0, 0}), message));
  EXPECT_EQ(message.data, "");
}

TEST(CdrTest, ASequenceOverItsBoundIsRefused) {
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.integer_range.resize(1);
  std::vector<std::byte> bytes = encoded(descriptor);
  rcl_interfaces::msg::ParameterDescriptor back;
  ASSERT_TRUE(decode(bytes, back));
  EXPECT_EQ(back, descriptor);
  // name, type, description, constraints, two bools: byte 26 on; the first range's length follows.
  const auto length = std::find(bytes.begin() + 28, bytes.end(), std::byte{1});
  *length = std::byte{2};
  bytes.resize(bytes.size() + 64);
  const CdrStatus status = decode(bytes, back);
  EXPECT_EQ(status.problem(), CdrProblem::kBound) << status.text();
}

}  // namespace
}  // namespace takt::msgs
