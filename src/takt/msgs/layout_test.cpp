// SPDX-License-Identifier: Apache-2.0
// The generated structs are those of ROS 2 Jazzy: spot checks of fields, types, order and defaults. A
// structured binding fails to compile when a field is missing or added.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <geometry_msgs/msg/pose_with_covariance.hpp>
#include <geometry_msgs/msg/quaternion.hpp>
#include <memory>
#include <rosgraph_msgs/msg/clock.hpp>
#include <sensor_msgs/msg/image.hpp>
#include <sensor_msgs/msg/point_field.hpp>
#include <std_msgs/msg/empty.hpp>
#include <std_msgs/msg/header.hpp>
#include <string>
#include <type_traits>
#include <vector>
#include <vision_msgs/msg/detection3_d.hpp>

namespace takt {
namespace {

template <typename Member, typename Expected>
constexpr bool is = std::is_same_v<std::remove_cvref_t<Member>, Expected>;

TEST(LayoutTest, HeaderHasStampAndFrameIdAndNoSequenceNumber) {
  const std_msgs::msg::Header header;
  const auto& [stamp, frame_id] = header;
  static_assert(is<decltype(stamp), builtin_interfaces::msg::Time>);
  static_assert(is<decltype(stamp.sec), std::int32_t>);
  static_assert(is<decltype(stamp.nanosec), std::uint32_t>);
  EXPECT_EQ(frame_id, "");
}

TEST(LayoutTest, ImageHasItsSevenFieldsInOrder) {
  const sensor_msgs::msg::Image image;
  const auto& [header, height, width, encoding, is_bigendian, step, data] = image;
  static_assert(is<decltype(header), std_msgs::msg::Header>);
  static_assert(is<decltype(height), std::uint32_t>);
  static_assert(is<decltype(width), std::uint32_t>);
  static_assert(is<decltype(encoding), std::string>);
  static_assert(is<decltype(is_bigendian), std::uint8_t>);
  static_assert(is<decltype(step), std::uint32_t>);
  static_assert(is<decltype(data), std::vector<std::uint8_t>>);
  EXPECT_EQ(height, 0U);
}

TEST(LayoutTest, Detection3DHasResultsBoxAndId) {
  const vision_msgs::msg::Detection3D detection;
  const auto& [header, results, bbox, id] = detection;
  static_assert(is<decltype(header), std_msgs::msg::Header>);
  static_assert(is<decltype(results), std::vector<vision_msgs::msg::ObjectHypothesisWithPose>>);
  static_assert(is<decltype(bbox.center), geometry_msgs::msg::Pose>);
  static_assert(is<decltype(bbox.size), geometry_msgs::msg::Vector3>);
  EXPECT_EQ(id, "");
}

TEST(LayoutTest, ClockHasOneTime) {
  const rosgraph_msgs::msg::Clock message;
  const auto& [clock] = message;
  static_assert(is<decltype(clock), builtin_interfaces::msg::Time>);
  EXPECT_EQ(clock.sec, 0);
}

TEST(LayoutTest, DiagnosticLevelIsAByteWithItsConstants) {
  const diagnostic_msgs::msg::DiagnosticStatus status;
  const auto& [level, name, message, hardware_id, values] = status;
  static_assert(is<decltype(level), unsigned char>);
  static_assert(is<decltype(values), std::vector<diagnostic_msgs::msg::KeyValue>>);
  EXPECT_EQ(diagnostic_msgs::msg::DiagnosticStatus::STALE, 3);
  EXPECT_EQ(name + message + hardware_id, "");
}

TEST(LayoutTest, DefaultsAreThoseOfTheDefinition) {
  const geometry_msgs::msg::Quaternion rotation;
  const auto& [x, y, z, w] = rotation;
  EXPECT_EQ(x, 0.0);
  EXPECT_EQ(y, 0.0);
  EXPECT_EQ(z, 0.0);
  EXPECT_EQ(w, 1.0);
}

TEST(LayoutTest, FixedArraysAreArraysAndConstantsAreThere) {
  static_assert(is<decltype(geometry_msgs::msg::PoseWithCovariance::covariance), std::array<double, 36>>);
  EXPECT_EQ(sensor_msgs::msg::PointField::FLOAT32, 7);
}

TEST(LayoutTest, SharedPointerNamesAreRos2s) {
  static_assert(is<std_msgs::msg::Header::SharedPtr, std::shared_ptr<std_msgs::msg::Header>>);
  static_assert(is<std_msgs::msg::Header::ConstSharedPtr, std::shared_ptr<const std_msgs::msg::Header>>);
  static_assert(is<std_msgs::msg::Header::UniquePtr, std::unique_ptr<std_msgs::msg::Header>>);
  EXPECT_NE(std::make_shared<std_msgs::msg::Empty>(), nullptr);
}

}  // namespace
}  // namespace takt
