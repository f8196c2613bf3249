// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/message_parse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <example_interfaces/msg/w_string.hpp>
#include <geometry_msgs/msg/point32.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <sensor_msgs/msg/image.hpp>
#include <sensor_msgs/msg/nav_sat_status.hpp>
#include <shape_msgs/msg/solid_primitive.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <type_description_interfaces/srv/get_type_description.hpp>

#include "takt/core/error.hpp"
#include "takt/msgs/cdr.hpp"
#include "takt/msgs/describe.hpp"

namespace takt::msgs {
namespace {

template <typename T>
T made_from(const std::string& text, const ParseOptions& options = {}) {
  T message;
  const CdrStatus status = decode(parse_message(describe<T>(), text, options), message);
  EXPECT_TRUE(status) << status.text();
  return message;
}

template <typename T>
std::string complaint(const std::string& text) {
  try {
    parse_message(describe<T>(), text);
  } catch (const SetupError& error) {
    return error.what();
  }
  return "none";
}

using geometry_msgs::msg::PoseStamped;

TEST(MessageParseTest, ReadsYamlAsRos2PubTakesIt) {
  const auto pose = made_from<PoseStamped>("{header: {frame_id: map}, pose: {position: {x: 1, y: -2.5e3}}}");
  EXPECT_EQ(pose.header.frame_id, "map");
  EXPECT_EQ(pose.pose.position.x, 1.0);
  EXPECT_EQ(pose.pose.position.y, -2500.0);
  EXPECT_EQ(pose.pose.orientation.w, 1.0);  // its default
}

TEST(MessageParseTest, EmptyTextIsTheDefaultMessage) {
  EXPECT_EQ(made_from<PoseStamped>(""), PoseStamped());
  EXPECT_EQ(made_from<PoseStamped>("{}"), PoseStamped());
  EXPECT_EQ(made_from<sensor_msgs::msg::NavSatStatus>("").status, -2);
  EXPECT_TRUE(
      (made_from<type_description_interfaces::srv::GetTypeDescription::Request>("")).include_type_sources);
}

TEST(MessageParseTest, ReadsJson) {
  EXPECT_EQ(made_from<std_msgs::msg::String>(R"({"data": "\u20ac\ud83d\ude00 \/"})").data,
            "\xE2\x82\xAC\xF0\x9F\x98\x80 /");
  EXPECT_TRUE(std::isnan(made_from<geometry_msgs::msg::Point32>(R"({"x": "NaN"})").x));
  EXPECT_EQ(made_from<example_interfaces::msg::WString>(R"({"data": "\ud83d\ude00"})").data, u"\U0001F600");
}

TEST(MessageParseTest, NumbersMayBeHexadecimalAndStringsLookLikeNumbers) {
  const auto image = made_from<sensor_msgs::msg::Image>("{height: 0x10, data: [1, 0b11, 255], encoding: 12}");
  EXPECT_EQ(image.height, 16U);
  EXPECT_EQ(image.data, (std::vector<std::uint8_t>{1, 3, 255}));
  EXPECT_EQ(image.encoding, "12");
}

TEST(MessageParseTest, NowAndAutoAreTheTimeThatIsGiven) {
  ParseOptions options;
  options.now_ns = 1'500'000'002;
  EXPECT_EQ(made_from<PoseStamped>("{header: auto}", options).header.stamp.sec, 1);
  EXPECT_EQ(made_from<PoseStamped>("{header: {stamp: now}}", options).header.stamp.nanosec, 500'000'002U);
  EXPECT_NE(complaint<PoseStamped>("{header: auto}"), "none");
}

TEST(MessageParseTest, WhatIsWrongIsNamedWithFieldAndLine) {
  EXPECT_EQ(complaint<PoseStamped>("pose:\n  position:\n    x: one\n"),
            "field pose.position.x: 'one' is not a float64: it must be a number (line 3)");
  EXPECT_EQ(
      complaint<PoseStamped>("pose:\n  postion: 1\n"),
      "field pose: geometry_msgs/msg/Pose has no field 'postion'; it has position, orientation (line 2)");
  EXPECT_EQ(complaint<PoseStamped>("12"),
            "the message: a geometry_msgs/msg/PoseStamped is a map of its fields (line 1)");
  EXPECT_EQ(complaint<sensor_msgs::msg::Image>("{data: [1, 300]}"),
            "field data[1]: '300' is not a uint8: it must be a whole number from 0 to 255 (line 1)");
  EXPECT_EQ(complaint<sensor_msgs::msg::Image>("{data: 1}"), "field data: a uint8[] is a list (line 1)");
  EXPECT_EQ(complaint<sensor_msgs::msg::Image>("{height: -1}"),
            "field height: '-1' is not a uint32: it must be a whole number from 0 to 4294967295 (line 1)");
  EXPECT_EQ(complaint<sensor_msgs::msg::Image>("{height: 1.5}"),
            "field height: '1.5' is not a uint32: it must be a whole number from 0 to 4294967295 (line 1)");
  EXPECT_EQ(complaint<sensor_msgs::msg::Image>("{encoding: [a]}"),
            "field encoding: a string is a single value (line 1)");
  EXPECT_EQ(complaint<shape_msgs::msg::SolidPrimitive>("{dimensions: [1, 2, 3, 4]}"),
            "field dimensions: 4 elements do not make a float64[<=3] (line 1)");
  EXPECT_EQ(complaint<geometry_msgs::msg::Point32>("{x: 1e39}").substr(0, 31),
            "field x: '1e39' is not a float3");
  EXPECT_NE(complaint<PoseStamped>("{a: [").find("neither YAML nor JSON"), std::string::npos);
}

}  // namespace
}  // namespace takt::msgs
