// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/message_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <geometry_msgs/msg/point32.hpp>
#include <limits>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/empty.hpp>
#include <string>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/msgs/cdr.hpp"
#include "takt/msgs/describe.hpp"
#include "takt/msgs/string_text.hpp"

namespace takt::msgs {
namespace {

template <typename T>
std::string text_of(const T& message, const TextOptions& options, bool json) {
  std::vector<std::byte> bytes(serialized_size(message));
  EXPECT_GT(encode(message, bytes), 0U);
  std::string text;
  const CdrStatus status = (json ? append_json : append_yaml)(describe<T>(), bytes, options, text);
  EXPECT_TRUE(status) << status.text();
  return text;
}

template <typename T>
std::string yaml_of(const T& message, const TextOptions& options = {}) {
  return text_of(message, options, false);
}
template <typename T>
std::string json_of(const T& message, const TextOptions& options = {}) {
  return text_of(message, options, true);
}

diagnostic_msgs::msg::DiagnosticArray diagnostics() {
  diagnostic_msgs::msg::DiagnosticArray message;
  message.header.frame_id = "base_link";
  message.status.resize(2);
  message.status[0].level = 2;
  message.status[0].name = "motor: left";
  message.status[0].values.resize(1);
  message.status[0].values[0].key = "12";
  return message;
}

sensor_msgs::msg::JointState joints() {
  sensor_msgs::msg::JointState message;
  message.name = {"a", "b", "c"};
  message.position = {1.0, 0.5, 1e-7};
  return message;
}

TEST(MessageTextTest, YamlIsLaidOutAsRos2EchoDoes) {
  EXPECT_EQ(yaml_of(diagnostics()),
            "header:\n"
            "  stamp:\n"
            "    sec: 0\n"
            "    nanosec: 0\n"
            "  frame_id: base_link\n"
            "status:\n"
            "- level: 2\n"
            "  name: 'motor: left'\n"
            "  message: ''\n"
            "  hardware_id: ''\n"
            "  values:\n"
            "  - key: '12'\n"
            "    value: ''\n"
            "- level: 0\n"
            "  name: ''\n"
            "  message: ''\n"
            "  hardware_id: ''\n"
            "  values: []\n");
}

TEST(MessageTextTest, JsonIsOneLine) {
  EXPECT_EQ(
      json_of(diagnostics()),
      R"({"header":{"stamp":{"sec":0,"nanosec":0},"frame_id":"base_link"},"status":[{"level":2,"name":)"
      R"("motor: left","message":"","hardware_id":"","values":[{"key":"12","value":""}]},{"level":0,"name":"",)"
      R"("message":"","hardware_id":"","values":[]}]})");
}

TEST(MessageTextTest, AnEmptyMessageIsAnEmptyMap) {
  EXPECT_EQ(yaml_of(std_msgs::msg::Empty()), "{}\n");
  EXPECT_EQ(json_of(std_msgs::msg::Empty()), "{}");
}

TEST(MessageTextTest, NumbersHaveTheShortestTextThatReadsBack) {
  geometry_msgs::msg::Point32 point;
  point.x = 0.1F;
  point.y = std::numeric_limits<float>::quiet_NaN();
  point.z = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(yaml_of(point), "x: 0.1\ny: .nan\nz: -.inf\n");
  EXPECT_EQ(json_of(point), R"({"x":0.1,"y":"NaN","z":"-Infinity"})");
}

TEST(MessageTextTest, LongArraysAndStringsAreCut) {
  TextOptions options;
  options.most_elements = 2;
  auto message = joints();
  message.header.frame_id = "world";
  message.velocity = {1, 2};
  EXPECT_EQ(
      yaml_of(message, options),
      "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: wo...\n"
      "name:\n- a\n- b\n- '...'\nposition:\n- 1.0\n- 0.5\n- '...'\nvelocity:\n- 1.0\n- 2.0\neffort: []\n");
  EXPECT_NE(json_of(message, options).find(R"("position":[1.0,0.5,"..."],"velocity":[1.0,2.0])"),
            std::string::npos);
}

TEST(MessageTextTest, ArraysAndStringsCanBeSummedUp) {
  TextOptions options;
  options.arrays = options.strings = false;
  EXPECT_EQ(
      yaml_of(joints(), options),
      "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: '<string, 0 bytes>'\n"
      "name: '<string[], 3 elements>'\nposition: '<float64[], 3 elements>'\nvelocity: []\neffort: []\n");
  EXPECT_NE(json_of(joints(), options).find(R"("name":"<string[], 3 elements>","position":)"),
            std::string::npos);
}

TEST(MessageTextTest, AFieldAloneIsPrintedAsIfItWereTheMessage) {
  const auto only = [](const auto& message, const char* path, bool json) {
    TextOptions options;
    options.field = parse_field_path(describe<std::remove_cvref_t<decltype(message)>>(), path);
    return text_of(message, options, json);
  };
  EXPECT_EQ(only(joints(), "position", false), "- 1.0\n- 0.5\n- 1e-07\n");
  EXPECT_EQ(only(joints(), "position[1]", false), "0.5\n");
  EXPECT_EQ(only(joints(), "name", true), R"(["a","b","c"])");
  EXPECT_EQ(only(joints(), "effort", false), "[]\n");
  EXPECT_EQ(only(diagnostics(), "header.frame_id", false), "base_link\n");
  EXPECT_EQ(only(diagnostics(), "header", false), "stamp:\n  sec: 0\n  nanosec: 0\nframe_id: base_link\n");
  EXPECT_EQ(only(diagnostics(), "status[0].values[0]", true), R"({"key":"12","value":""})");
  EXPECT_EQ(only(diagnostics(), "status[9].name", true), "");
}

TEST(MessageTextTest, AWrongPathNamesWhatThereIs) {
  const auto complaint = [](const char* path) -> std::string {
    try {
      parse_field_path(describe<sensor_msgs::msg::JointState>(), path);
    } catch (const SetupError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint("speed"),
            "sensor_msgs/msg/JointState has no field 'speed'; its fields are header, name, position, "
            "velocity, effort");
  EXPECT_EQ(complaint("header[1]"),
            "header in sensor_msgs/msg/JointState is std_msgs/Header, which has no element 1");
  EXPECT_EQ(complaint("name.x"), "name is string[], which has no field 'x'");
  EXPECT_EQ(complaint("name[x]"), "'name[x]' is no element of an array; write it as in ranges[3]");
  EXPECT_EQ(complaint("name[1"), "'name[1' is no element of an array; write it as in ranges[3]");
  EXPECT_NE(complaint("name["), "none");
}

TEST(MessageTextTest, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(json_string("a\xFF"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(yaml_string("a\xFF"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(yaml_string("line\nline"), "\"line\\nline\"");
  EXPECT_EQ(yaml_string("null"), "'null'");
  EXPECT_EQ(yaml_string("it's"), "it's");
  EXPECT_EQ(yaml_string("'tis"), "'''tis'");
}

}  // namespace
}  // namespace takt::msgs
