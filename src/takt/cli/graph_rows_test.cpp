// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/graph_rows.hpp"

#include <gmock/gmock.h>

namespace takt::cli {
namespace {

using shm::Endpoint;
using shm::EndpointKind;
using ::testing::ElementsAre;

Endpoint row_end(EndpointKind kind, const char* topic, const char* type, const char* node,
                 const char* process = "lease-1") {
  return {.kind = kind, .topic = topic, .type_name = type, .node = node, .process = process};
}

TEST(GraphRows, ATopicHasItsTypesOnceAndCountsItsEnds) {
  const std::vector<Endpoint> all{
      row_end(EndpointKind::subscription, "/b", "B", "/n"), row_end(EndpointKind::publisher, "/a", "T", "/n"),
      row_end(EndpointKind::publisher, "/a", "T", "/m"), row_end(EndpointKind::subscription, "/a", "S", "/n"),
      row_end(EndpointKind::node, "", "", "/n")};
  const auto rows = topic_rows(all);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "/a");
  EXPECT_THAT(rows[0].types, ElementsAre("S", "T"));
  EXPECT_EQ(rows[0].publishers, 2U);
  EXPECT_EQ(rows[0].subscriptions, 1U);
  EXPECT_EQ(rows[1].publishers, 0U);
}

TEST(GraphRows, EachPairThatDoesNotMatchIsNamed) {
  const std::vector<Endpoint> all{row_end(EndpointKind::publisher, "/a", "T", "/p"),
                                  row_end(EndpointKind::subscription, "/a", "T", "/fits"),
                                  row_end(EndpointKind::subscription, "/a", "S", "/fits_not"),
                                  row_end(EndpointKind::subscription, "/other", "S", "/q")};
  const auto info = topic_info(all, "/a");
  EXPECT_EQ(info.subscriptions.size(), 2U);
  ASSERT_EQ(info.mismatches.size(), 1U);
  EXPECT_EQ(info.mismatches[0].subscription.node, "/fits_not");
  EXPECT_THAT(info.mismatches[0].reason, ::testing::HasSubstr("the types differ"));
}

TEST(GraphRows, NodesOfOneNameInTwoProcessesAreTwoRows) {
  const std::vector<Endpoint> all{row_end(EndpointKind::node, "", "", "/twin", "lease-1"),
                                  row_end(EndpointKind::node, "", "", "/twin", "lease-2"),
                                  row_end(EndpointKind::publisher, "/a", "T", "/twin", "lease-2")};
  const auto rows = node_rows(all);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].publishers.empty());
  EXPECT_EQ(rows[1].publishers.size(), 1U);
  EXPECT_THAT(repeated_names(rows), ElementsAre("/twin"));
}

TEST(GraphRows, HiddenNodesHaveALastPartThatBeginsWithAnUnderscore) {
  EXPECT_TRUE(is_hidden("/_takt_1"));
  EXPECT_TRUE(is_hidden("/arm/_helper"));
  EXPECT_FALSE(is_hidden("/_arm/helper"));
  EXPECT_FALSE(is_hidden("/talker_"));
  EXPECT_FALSE(is_hidden(""));
}

TEST(GraphRows, ADurationThatIsNotPromisedIsNull) {
  const auto json = to_json(row_end(EndpointKind::publisher, "/a", "T", "/n"));
  EXPECT_TRUE(json["deadline_ms"].is_null());
  EXPECT_EQ(json["type_hash"], "unknown");
  EXPECT_TRUE(json["segment"].is_null());
}

}  // namespace
}  // namespace takt::cli
