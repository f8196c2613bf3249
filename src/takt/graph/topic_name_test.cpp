// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/topic_name.hpp"

#include <gtest/gtest.h>

#include "takt/core/error.hpp"

namespace takt {
namespace {

TEST(TopicName, resolves_as_ros_does) {
  EXPECT_EQ(resolve_topic_name("command", "", "arm"), "/command");
  EXPECT_EQ(resolve_topic_name("command", "/", "arm"), "/command");
  EXPECT_EQ(resolve_topic_name("command", "/left", "arm"), "/left/command");
  EXPECT_EQ(resolve_topic_name("a/b", "left", "arm"), "/left/a/b");
  EXPECT_EQ(resolve_topic_name("/clock", "/left", "arm"), "/clock");
  EXPECT_EQ(resolve_topic_name("~/state", "/left", "arm"), "/left/arm/state");
  EXPECT_EQ(resolve_topic_name("~", "", "arm"), "/arm");
  EXPECT_EQ(resolve_topic_name("{node}_out", "/left", "arm"), "/left/arm_out");
  EXPECT_EQ(resolve_topic_name("{ns}/x", "/left", "arm"), "/left/x");
  EXPECT_EQ(resolve_topic_name("{namespace}/x", "/left", "arm"), "/left/x");
}

TEST(TopicName, refuses_what_ros_refuses_and_names_it) {
  for (const char* bad :
       {"", "/", "a b", "a//b", "a/", "1a", "a/2", "a-b", "~a", "a~", "{node", "{who}", "a}", "ü"}) {
    try {
      resolve_topic_name(bad, "", "arm");
      ADD_FAILURE() << bad;
    } catch (const SetupError& e) {
      EXPECT_FALSE(e.fix().empty()) << bad;
      EXPECT_NE(std::string(e.what()).find(bad), std::string::npos) << e.what();
    }
  }
  EXPECT_NO_THROW(resolve_topic_name(std::string(246, 'a'), "", "arm"));
  EXPECT_THROW(resolve_topic_name(std::string(247, 'a'), "", "arm"), SetupError);
}

TEST(NodeName, letters_digits_underscores) {
  for (const char* good : {"a", "A_1", "_x", "a__b"}) EXPECT_NO_THROW(check_node_name(good)) << good;
  for (const char* bad : {"", "1a", "a/b", "a-b", "a b", "~"})
    EXPECT_THROW(check_node_name(bad), SetupError) << bad;
  EXPECT_NO_THROW(check_node_name(std::string(255, 'a')));
  EXPECT_THROW(check_node_name(std::string(256, 'a')), SetupError);
}

TEST(Namespace, is_given_in_one_form) {
  EXPECT_EQ(check_namespace(""), "");
  EXPECT_EQ(check_namespace("/"), "");
  EXPECT_EQ(check_namespace("robot"), "/robot");
  EXPECT_EQ(check_namespace("/robot/arm"), "/robot/arm");
  for (const char* bad : {"/robot/", "//", "a//b", "/1", "a b"})
    EXPECT_THROW(check_namespace(bad), SetupError) << bad;
}

}  // namespace
}  // namespace takt
