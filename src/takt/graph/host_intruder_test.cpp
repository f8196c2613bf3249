// SPDX-License-Identifier: Apache-2.0
// Processes that are not what they say: bytes that are no message, another definition under the same name.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "takt/graph/host_test_support.hpp"
#include "takt/graph/topic_type.hpp"
#include "takt/transport/shm/data_test_support.hpp"

namespace takt::testing {
namespace {

/// A member of the domain that announces and writes what the test wants, without a context.
class Intruder {
 public:
  explicit Intruder(const shm::DiscoveryFolder& folder)
      : member_(folder.base()), discovery_(member_.domain, *member_.lease, {}) {}

  /// An endpoint on /value. `in_file`: the hash that the publisher's file says.
  template <class T>
  void announce(shm::EndpointKind kind, const shm::TypeHash& announced, const shm::TypeHash& in_file) {
    shm::Endpoint endpoint;
    endpoint.kind = kind;
    endpoint.topic = "/value";
    endpoint.type_name = topic_type<T>().name;
    endpoint.type_hash = announced;
    endpoint.node = "/intruder";
    if (kind == shm::EndpointKind::publisher) {
      auto options = member_.writer_options(10, 1000);
      options.type_hash = in_file;
      options.type_name = endpoint.type_name;
      options.topic = endpoint.topic;
      writer_ = member_.writer(options);
      endpoint.segment = writer_->path().filename();
    }
    discovery_.add(endpoint);
  }
  template <class T>
  void announce_publisher() {
    const auto hash = topic_type<T>().hash;
    announce<T>(shm::EndpointKind::publisher, hash, hash);
  }
  shm::CommitResult send(std::string_view bytes) {
    auto filling = writer_->begin(bytes.size());
    std::ranges::copy(std::as_bytes(std::span(bytes)), filling.bytes().begin());
    return writer_->commit(std::move(filling), {});
  }
  template <class T>
  shm::CommitResult send_message(const T& message) {
    auto filling = writer_->begin(wire::size_of(message));
    EXPECT_TRUE(wire::fill(message, filling.bytes()));
    return writer_->commit(std::move(filling), {});
  }
  std::uint32_t readers() const { return writer_->counters().readers; }

 private:
  shm::TestMember member_;
  std::unique_ptr<shm::Writer> writer_;
  shm::Discovery discovery_;
};

class HostIntruder : public ::testing::Test {
 protected:
  shm::DiscoveryFolder folder_;
  Context::SharedPtr context_ = host_context(folder_.base());
  Node::SharedPtr node_ = host_node(context_, "own");
  Intruder intruder_{folder_};
};

constexpr std::string_view kHead("\0\0\0\0\0\1\0\0", 8);  // the lead, little-endian CDR

TEST_F(HostIntruder, BytesThatAreNoMessageAreCountedAndTheNextMessageArrives) {
  std::vector<std::string> heard;
  const auto subscription = node_->create_subscription<String>(
      "value", 10, [&](const String& message) { heard.push_back(message.data); });
  const Spinning spinning(node_);
  intruder_.announce_publisher<String>();
  ASSERT_TRUE(comes_true([&] { return subscription->get_publisher_count() == 1; }));
  const std::vector<std::string> garbage{"",
                                         "x",
                                         std::string(kHead),
                                         std::string(kHead) + "\xff\xff\xff\xff text",
                                         std::string(500, '\xa5'),
                                         std::string(kHead) + std::string("\5\0\0\0ab", 6)};
  for (const auto& bytes : garbage) {
    EXPECT_EQ(intruder_.send(bytes).delivered, 1U);
    EXPECT_EQ(intruder_.send_message(string_of(3)).delivered, 1U);
    ASSERT_TRUE(comes_true([&] { return subscription->counters().taken > 0 && !heard.empty(); }));
  }
  EXPECT_TRUE(comes_true([&] { return subscription->counters().taken == garbage.size(); }));
  EXPECT_EQ(subscription->counters().malformed, garbage.size());
  EXPECT_TRUE(comes_true([&] { return subscription->section().activations() == garbage.size(); }));
  for (const auto& text : heard) EXPECT_EQ(text, "xxx");
}

TEST_F(HostIntruder, BytesThatAreNoPlainMessageAreCountedAndTheNextMessageArrives) {
  const auto subscription = node_->create_subscription<Int64>("value", 10, nullptr);
  intruder_.announce_publisher<Int64>();
  ASSERT_TRUE(comes_true([&] { return subscription->get_publisher_count() == 1; }));
  const std::vector<std::string> garbage{"", std::string(kHead), std::string(kHead) + "1234567"};
  for (const auto& bytes : garbage) EXPECT_EQ(intruder_.send(bytes).delivered, 1U);
  intruder_.send_message(int64_of(7));
  Int64 message;
  MessageInfo info;
  ASSERT_TRUE(comes_true([&] { return subscription->take(message, info); }));
  EXPECT_EQ(message.data, 7);
  EXPECT_EQ(subscription->counters().malformed, garbage.size());
  EXPECT_EQ(subscription->counters().taken, 1U);
}

shm::TypeHash other_hash() {
  auto hash = topic_type<Int64>().hash;
  hash[0] ^= std::byte{1};
  return hash;
}

TEST_F(HostIntruder, AnotherDefinitionOfTheTypeIsRefusedAtBothEnds) {
  const auto publisher = node_->create_publisher<Int64>("value", 10);
  const auto subscription = node_->create_subscription<Int64>("value", 10, nullptr);
  intruder_.announce<Int64>(shm::EndpointKind::subscription, other_hash(), {});
  intruder_.announce<Int64>(shm::EndpointKind::publisher, other_hash(), other_hash());
  EXPECT_TRUE(comes_true([&] { return publisher->incompatible() == 1; }));
  EXPECT_TRUE(comes_true([&] { return subscription->incompatible() == 1; }));
  EXPECT_EQ(subscription->get_publisher_count(), 1U) << "that of this process alone";
  EXPECT_EQ(intruder_.send_message(int64_of(1)).delivered, 0U);
}

TEST_F(HostIntruder, AFileThatHasAnotherTypeThanWasAnnouncedIsNotRead) {
  const auto subscription = node_->create_subscription<Int64>("value", 10, nullptr);
  intruder_.announce<Int64>(shm::EndpointKind::publisher, topic_type<Int64>().hash, other_hash());
  Intruder honest(folder_);  // told later, so that the other was heard of when this one is
  honest.announce_publisher<Int64>();
  EXPECT_TRUE(comes_true([&] { return honest.readers() == 1; }));
  EXPECT_TRUE(context_->host()->wait_until_complete(std::chrono::seconds{60}));
  EXPECT_TRUE(comes_true([&] { return subscription->get_publisher_count() == 1; }));
  EXPECT_EQ(intruder_.readers(), 0U);
}

}  // namespace
}  // namespace takt::testing
