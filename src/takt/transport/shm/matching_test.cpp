// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/matching.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace takt::shm {
namespace {

using namespace std::chrono_literals;
using Reliability = EndpointQos::Reliability;
using Durability = EndpointQos::Durability;

Endpoint matching_end(EndpointKind kind, const char* node, pid_t pid) {
  Endpoint endpoint;
  endpoint.kind = kind;
  endpoint.topic = "/chatter";
  endpoint.type_name = "std_msgs/msg/String";
  endpoint.type_hash.fill(std::byte{0xab});
  endpoint.node = node;
  endpoint.pid = pid;
  return endpoint;
}

struct Matching : ::testing::Test {
  Endpoint publisher = matching_end(EndpointKind::publisher, "/talker", 11);
  Endpoint subscription = matching_end(EndpointKind::subscription, "/listener", 22);
  std::string reason() const { return compatible(publisher, subscription).reason; }
};

TEST_F(Matching, EqualTypesAndQosMatch) { EXPECT_TRUE(compatible(publisher, subscription)); }

TEST_F(Matching, OfDifferentTypeNamesBothEndsAreNamed) {
  subscription.type_name = "std_msgs/msg/Int32";
  EXPECT_EQ(reason(),
            "the types differ: publisher /talker (process 11) sends std_msgs/msg/String, subscription "
            "/listener (process 22) takes std_msgs/msg/Int32");
}

TEST_F(Matching, OfDifferentTypeHashesBothAreNamed) {
  subscription.type_hash[31] = std::byte{1};
  const std::string ab62 = [] {
    std::string text;
    for (int i = 0; i < 31; ++i) text += "ab";
    return text;
  }();
  EXPECT_EQ(reason(),
            "the definitions of std_msgs/msg/String differ: publisher /talker (process 11) has RIHS01_" +
                ab62 + "ab, subscription /listener (process 22) has RIHS01_" + ab62 + "01");
}

TEST_F(Matching, AnUnknownHashIsNotCompared) {
  subscription.type_hash = {};
  EXPECT_TRUE(compatible(publisher, subscription));
  EXPECT_EQ(to_string(subscription.type_hash), "unknown");
}

TEST_F(Matching, AReliableSubscriptionNeedsAReliablePublisher) {
  publisher.qos.reliability = Reliability::best_effort;
  EXPECT_EQ(reason(), "the publisher is best effort, the subscription asks for reliable");
  subscription.qos.reliability = Reliability::best_effort;
  EXPECT_TRUE(compatible(publisher, subscription));
  publisher.qos.reliability = Reliability::reliable;
  EXPECT_TRUE(compatible(publisher, subscription));
}

TEST_F(Matching, ATransientLocalSubscriptionNeedsSuchAPublisher) {
  subscription.qos.durability = Durability::transient_local;
  EXPECT_EQ(reason(), "the publisher is volatile, the subscription asks for transient local");
  publisher.qos.durability = Durability::transient_local;
  EXPECT_TRUE(compatible(publisher, subscription));
  subscription.qos.durability = Durability::volatile_;
  EXPECT_TRUE(compatible(publisher, subscription));
}

TEST_F(Matching, ADeadlineMustBePromisedAtLeastAsShort) {
  subscription.qos.deadline = 50ms;
  EXPECT_EQ(reason(), "the publisher promises no deadline, the subscription asks for a message every 50 ms");
  publisher.qos.deadline = 100ms;
  EXPECT_EQ(reason(),
            "the publisher promises a message every 100 ms, the subscription asks for one every 50 ms");
  publisher.qos.deadline = 50ms;
  EXPECT_TRUE(compatible(publisher, subscription));
  subscription.qos.deadline = EndpointQos::kUnlimited;
  EXPECT_TRUE(compatible(publisher, subscription));
}

TEST_F(Matching, ANodeMatchesNothing) {
  publisher.kind = EndpointKind::node;
  EXPECT_EQ(reason(), "a node and a subscription exchange no messages");
  std::swap(publisher, subscription);
  publisher.kind = EndpointKind::publisher;
  EXPECT_EQ(reason(), "a publisher and a node exchange no messages");
}

TEST_F(Matching, HistoryDepthAndLifespanDoNotMatter) {
  publisher.qos.history = EndpointQos::History::keep_all;
  publisher.qos.depth = 1;
  publisher.qos.lifespan = 1ms;
  EXPECT_TRUE(compatible(publisher, subscription));
}

}  // namespace
}  // namespace takt::shm
