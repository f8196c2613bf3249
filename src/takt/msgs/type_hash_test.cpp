// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/type_hash.hpp"

#include <gtest/gtest.h>

#include <example_interfaces/srv/add_two_ints.hpp>
#include <fstream>
#include <sensor_msgs/msg/image.hpp>
#include <sstream>
#include <std_msgs/msg/header.hpp>
#include <std_srvs/srv/empty.hpp>
#include <string>

#include "takt/msgs/describe.hpp"
#include "takt/msgs/type_catalog.hpp"

namespace takt::msgs {
namespace {

TEST(TypeHashTest, IsWhatRos2sGeneratorComputes) {
  std::ifstream file(TAKT_SOURCE_DIR "/src/takt/msgs/testdata/type_hashes.txt");
  TypeCatalog catalog;
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    std::string expected;
    words >> name >> expected;
    EXPECT_EQ(type_hash(*catalog.get(name)), expected) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 178);
}

TEST(TypeHashTest, OfACompiledTypeIsThatOfItsDescription) {
  TypeCatalog catalog;
  EXPECT_EQ(type_hash<sensor_msgs::msg::Image>(), type_hash(*catalog.get("sensor_msgs/msg/Image")));
  using AddTwoInts = example_interfaces::srv::AddTwoInts;
  EXPECT_EQ(type_hash<AddTwoInts>(), type_hash(*catalog.get("example_interfaces/srv/AddTwoInts")));
  EXPECT_EQ(type_hash<AddTwoInts::Request>(),
            type_hash(*catalog.get("example_interfaces/srv/AddTwoInts_Request")));
  EXPECT_EQ(type_hash<std_srvs::srv::Empty::Response>(),
            type_hash(*catalog.get("std_srvs/srv/Empty_Response")));
}

TEST(TypeHashTest, DependsOnNamesTypesAndBoundsButNotOnDefaultsAndConstants) {
  const auto hash_of = [](const std::string& text) {
    TypeCatalog catalog;
    catalog.add_definition("demo_msgs/msg/Demo", {text, "Demo.msg"});
    return type_hash(*catalog.get("demo_msgs/Demo"));
  };
  const std::string plain = hash_of("int32 a\n");
  EXPECT_EQ(hash_of("int32 LIMIT=3\nint32 a 5  # five\n"), plain);
  EXPECT_NE(hash_of("int32 b\n"), plain);
  EXPECT_NE(hash_of("uint32 a\n"), plain);
  EXPECT_NE(hash_of("int32[] a\n"), hash_of("int32[<=4] a\n"));
  EXPECT_NE(hash_of("string a\n"), hash_of("string<=4 a\n"));
}

TEST(TypeHashTest, HashedTextIsRos2sCanonicalJson) {
  EXPECT_EQ(
      hashed_text(describe<std_msgs::msg::Header>()),
      R"({"type_description": {"type_name": "std_msgs/msg/Header", "fields": [{"name": "stamp", "type": )"
      R"({"type_id": 1, "capacity": 0, "string_capacity": 0, "nested_type_name": "builtin_interfaces/msg/Time"}}, )"
      R"({"name": "frame_id", "type": {"type_id": 17, "capacity": 0, "string_capacity": 0, )"
      R"("nested_type_name": ""}}]}, "referenced_type_descriptions": [{"type_name": "builtin_interfaces/msg/Time", )"
      R"("fields": [{"name": "sec", "type": {"type_id": 6, "capacity": 0, "string_capacity": 0, )"
      R"("nested_type_name": ""}}, {"name": "nanosec", "type": {"type_id": 7, "capacity": 0, )"
      R"("string_capacity": 0, "nested_type_name": ""}}]}]})");
}

}  // namespace
}  // namespace takt::msgs
