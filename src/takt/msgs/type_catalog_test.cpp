// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/type_catalog.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "takt/core/error.hpp"

namespace takt::msgs {
namespace {

/// What the catalog says of a definition that cannot be read.
std::string complaint_about(const std::string& text) {
  TypeCatalog catalog;
  catalog.add_definition("demo_msgs/msg/Demo", {text, "Demo.msg"});
  try {
    catalog.get("demo_msgs/msg/Demo");
  } catch (const SetupError& error) {
    return error.what();
  }
  return "none";
}

std::string complaint_of_get(TypeCatalog& catalog, const std::string& name) {
  try {
    catalog.get(name);
  } catch (const SetupError& error) {
    return error.what();
  }
  return "none";
}

class TypeCatalogFolderTest : public ::testing::Test {
 protected:
  TypeCatalogFolderTest()
      : folder_(std::filesystem::temp_directory_path() / ("takt_catalog_" + std::to_string(::getpid()))) {}
  ~TypeCatalogFolderTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  const std::filesystem::path folder_;
};

TEST(TypeCatalogTest, DescribesATypeThatComesWithTakt) {
  TypeCatalog catalog;
  const auto type = catalog.get("sensor_msgs/msg/CameraInfo");
  EXPECT_EQ(type->name, "sensor_msgs/msg/CameraInfo");
  ASSERT_EQ(type->fields.size(), 11U);
  EXPECT_EQ(type->fields[0].nested->name, "std_msgs/msg/Header");
  EXPECT_EQ(type_text(type->fields[0]), "std_msgs/Header");
  EXPECT_EQ(type_text(type->fields[4]), "float64[]");
  EXPECT_EQ(type->fields[4].name, "d");
  EXPECT_EQ(type_text(type->fields[5]), "float64[9]");
  EXPECT_EQ(type_text(catalog.get("rmw_dds_common/msg/NodeEntitiesInfo")->fields[0]), "string<=256");
  EXPECT_EQ(type_text(catalog.get("shape_msgs/msg/SolidPrimitive")->fields[1]), "float64[<=3]");
}

TEST(TypeCatalogTest, TheShortNameIsEnough) {
  TypeCatalog catalog;
  EXPECT_EQ(catalog.get("std_msgs/String"), catalog.get("std_msgs/msg/String"));
}

TEST(TypeCatalogTest, KeepsConstantsAndDefaults) {
  TypeCatalog catalog;
  const auto status = catalog.get("sensor_msgs/msg/NavSatStatus");
  ASSERT_EQ(status->constants.size(), 10U);
  EXPECT_EQ(status->constants[0].name, "STATUS_UNKNOWN");
  EXPECT_EQ(status->constants[0].value, "-2");
  EXPECT_EQ(status->fields[0].default_value, "-2");
}

TEST(TypeCatalogTest, KnowsEveryDefinitionThatComesWithTakt) {
  TypeCatalog catalog;
  EXPECT_EQ(catalog.names().size(), 237U);
  for (const std::string& name : catalog.names()) EXPECT_EQ(catalog.get(name)->name, name);
}

TEST(TypeCatalogTest, AServiceHasThreeMessages) {
  TypeCatalog catalog;
  EXPECT_EQ(catalog.get("std_srvs/srv/SetBool_Request")->fields[0].name, "data");
  EXPECT_EQ(catalog.get("std_srvs/srv/SetBool_Response")->fields[1].name, "message");
  EXPECT_EQ(type_text(catalog.get("std_srvs/srv/SetBool_Event")->fields[1]),
            "std_srvs/srv/SetBool_Request[<=1]");
  EXPECT_EQ(catalog.get("std_srvs/srv/SetBool")->fields.size(), 3U);
}

TEST(TypeCatalogTest, AnUnknownTypeNamesItsNamesakes) {
  TypeCatalog catalog;
  EXPECT_EQ(complaint_of_get(catalog, "geometry_msgs/msg/Image"),
            "the type geometry_msgs/msg/Image is unknown; known by that name: sensor_msgs/msg/Image");
  EXPECT_NE(complaint_of_get(catalog, "Image").find("sensor_msgs/msg/Image"), std::string::npos);
  EXPECT_NE(complaint_of_get(catalog, "no_msgs/msg/Such").find("give the folder"), std::string::npos);
  EXPECT_NE(complaint_of_get(catalog, ""), "none");
  EXPECT_NE(complaint_of_get(catalog, "std_srvs/srv/SetBool_Other"), "none");
}

TEST(TypeCatalogTest, AWrongDefinitionIsNamedWithItsLine) {
  EXPECT_EQ(complaint_about("int32 a\n\nfloat46 b\n"),
            "Demo.msg:3: 'float46' is neither a primitive type nor Package/Type");
  EXPECT_EQ(complaint_about("int32\n"), "Demo.msg:1: 'int32' has a type and no name");
  EXPECT_EQ(complaint_about("int32 a\nint8 a\n"), "Demo.msg:2: the field a is there twice");
  EXPECT_EQ(complaint_about("int32 A\n"),
            "Demo.msg:1: 'A' is no name of a field: lower case letters, digits, single _");
  EXPECT_EQ(complaint_about("int32[0] a\n"), "Demo.msg:1: '0': a size is a whole number over 0");
  EXPECT_EQ(complaint_about("int32[x a\n"),
            "Demo.msg:1: 'int32[x' is neither a primitive type nor Package/Type");
  EXPECT_EQ(complaint_about("int32] a\n"), "Demo.msg:1: 'int32]' has a ] without a [");
  EXPECT_EQ(complaint_about("int32<=4 a\n"), "Demo.msg:1: 'int32<=4': only strings have a bound");
  EXPECT_EQ(complaint_about("uint8 a 256\n"),
            "Demo.msg:1: '256' is not a uint8: it must be a whole number from 0 to 255");
  EXPECT_EQ(complaint_about("uint8 MOST=-1\n"),
            "Demo.msg:1: '-1' is not a uint8: it must be a whole number from 0 to 255");
  EXPECT_EQ(complaint_about("uint8 most=1\n"),
            "Demo.msg:1: 'most' is no name of a constant: upper case letters, digits, _");
  EXPECT_EQ(complaint_about("int32[2] a [1]\n"),
            "Demo.msg:1: the default has 1 elements, the type is int32[2]");
  EXPECT_EQ(complaint_about("int32[] a 5\n"), "Demo.msg:1: the default of int32[] must be a list, [1, 2]");
  EXPECT_EQ(complaint_about("std_msgs/Header a 5\n"), "Demo.msg:1: a message as field cannot have a default");
  EXPECT_EQ(complaint_about("int32 a\nstd_msgs/Hedaer header\n"),
            "Demo.msg:2: field 'header': the type std_msgs/msg/Hedaer is unknown; give the folder that holds "
            "its .msg "
            "file, or list what is known");
  EXPECT_EQ(complaint_about("Demo again\n"), "Demo.msg:1: field 'again': demo_msgs/msg/Demo contains itself");
  EXPECT_NE(complaint_about("float64[1000000000] a\n").find("more than 1 GiB"), std::string::npos);
}

TEST(TypeCatalogTest, CommentsBlankLinesAndCarriageReturnsArePassedOver) {
  EXPECT_EQ(complaint_about(
                "# all\r\n\r\n  # in\r\nint32 a # one\r\nstring b \"x y\"\r\nstring[] c ['p', \"q, r\"]\r\n"),
            "none");
}

TEST(TypeCatalogTest, AServiceWithoutASeparatorIsRefused) {
  TypeCatalog catalog;
  catalog.add_definition("demo_msgs/srv/Ask", {"int32 a\n", "Ask.srv"});
  EXPECT_NE(complaint_of_get(catalog, "demo_msgs/srv/Ask").find("Ask.srv:2: a service needs a line ---"),
            std::string::npos);
  catalog.add_definition("demo_msgs/srv/Ask", {"int32 a\n---\nint32 b\nint33 c\n", "Ask.srv"});
  EXPECT_EQ(catalog.get("demo_msgs/srv/Ask_Request")->fields[0].name, "a");
  EXPECT_NE(complaint_of_get(catalog, "demo_msgs/srv/Ask_Response").find("Ask.srv:4:"), std::string::npos);
}

TEST(TypeCatalogTest, ABundleCarriesATypeToACatalogThatDoesNotKnowIt) {
  TypeCatalog source;
  source.add_definition("demo_msgs/msg/Inner", {"int32 x 4", "Inner.msg"});
  source.add_definition("demo_msgs/msg/Outer", {"Inner[] inner\nstd_msgs/Header header\n", "Outer.msg"});
  const std::string bundle = definition_bundle(*source.get("demo_msgs/Outer"));
  TypeCatalog target;
  target.add_bundle("demo_msgs/msg/Outer", bundle);
  EXPECT_EQ(target.get("demo_msgs/msg/Outer")->fields[0].nested->fields[0].default_value, "4");
  EXPECT_EQ(definition_bundle(*target.get("demo_msgs/msg/Outer")).substr(0, 14), bundle.substr(0, 14));
}

TEST_F(TypeCatalogFolderTest, FoldersOfPackagesAreRead) {
  write("demo_msgs/msg/Speed.msg", "float64 left\nfloat64 right\n");
  write("demo_msgs/srv/Reset.srv", "---\nbool done\n");
  write("share/other_msgs/msg/Both.msg", "demo_msgs/Speed speed\n");
  TypeCatalog catalog;
  catalog.add_folder(folder_);
  EXPECT_EQ(catalog.get("demo_msgs/Speed")->fields.size(), 2U);
  EXPECT_EQ(catalog.get("demo_msgs/srv/Reset_Response")->fields[0].name, "done");
  EXPECT_EQ(catalog.get("other_msgs/Both")->fields[0].nested->name, "demo_msgs/msg/Speed");
  TypeCatalog one;
  one.add_folder(folder_ / "demo_msgs");
  const auto names = one.names();
  EXPECT_TRUE(std::find(names.begin(), names.end(), "demo_msgs/srv/Reset") != names.end());
}

TEST_F(TypeCatalogFolderTest, AFolderWithoutDefinitionsIsRefusedAndAWrongLineIsNamedByItsPath) {
  TypeCatalog catalog;
  EXPECT_THROW(catalog.add_folder(folder_ / "nowhere"), SetupError);
  write("demo_msgs/msg/Wrong.msg", "int32 a\nint32 b c\n");
  catalog.add_folder(folder_);
  EXPECT_NE(
      complaint_of_get(catalog, "demo_msgs/Wrong").find("demo_msgs/msg/Wrong.msg:2: 'c' is not a int32"),
      std::string::npos);
}

}  // namespace
}  // namespace takt::msgs
