// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/type_name.hpp"

#include <gtest/gtest.h>

#include <sensor_msgs/msg/point_cloud2.hpp>
#include <std_msgs/msg/int32.hpp>
#include <vision_msgs/msg/detection3_d.hpp>

namespace takt {
namespace {

static_assert(Message<std_msgs::msg::Int32>);
static_assert(!Message<int>);

TEST(TypeNameTest, IsWhatRosWrites) {
  EXPECT_EQ(type_name<std_msgs::msg::Int32>(), "std_msgs/msg/Int32");
  EXPECT_EQ(type_name<sensor_msgs::msg::PointCloud2>(), "sensor_msgs/msg/PointCloud2");
  EXPECT_EQ(type_name<vision_msgs::msg::Detection3D>(), "vision_msgs/msg/Detection3D");
}

}  // namespace
}  // namespace takt
