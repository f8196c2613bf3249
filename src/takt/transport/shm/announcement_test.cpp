// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/announcement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "takt/core/error.hpp"

namespace takt::shm {
namespace {

using namespace std::chrono_literals;

Endpoint full_endpoint(EndpointId id, std::uint64_t generation) {
  Endpoint e;
  e.kind = EndpointKind::subscription;
  e.topic = "/arm/joint_states";
  e.type_name = "sensor_msgs/msg/JointState";
  for (std::size_t i = 0; i < e.type_hash.size(); ++i) e.type_hash[i] = static_cast<std::byte>(i * 7 + 1);
  e.node = "/arm/controller";
  e.qos = {EndpointQos::Reliability::best_effort,
           EndpointQos::Durability::transient_local,
           EndpointQos::History::keep_all,
           4096,
           20ms,
           3s};
  e.segment = "segment-0123456789abcdef";
  e.id = id;
  e.generation = generation;
  e.process = "lease-00000000000000aa";
  e.pid = 4711;
  return e;
}

Announcement full_announcement() {
  Announcement a;
  a.snapshot = true;
  a.ask = true;
  a.process = "lease-00000000000000aa";
  a.session = 0x8877665544332211;
  a.base = 3;
  a.upto = 9;
  a.latest = 12;
  a.pid = 4711;
  a.changes.push_back({true, full_endpoint(0xfedcba9876543210, 4)});
  EndpointChange removal{false, {}};
  removal.endpoint.id = 5;
  removal.endpoint.generation = 9;
  a.changes.push_back(removal);
  return a;
}

std::vector<std::byte> encoded(const Announcement& a) {
  AnnouncementWriter writer;
  for (const auto& change : a.changes) EXPECT_TRUE(writer.try_add(change));
  return std::move(writer).finish(a);
}

std::string fault_of(std::span<const std::byte> bytes) {
  const auto result = decode(bytes);
  const auto* malformed = std::get_if<Malformed>(&result);
  return malformed == nullptr ? "" : malformed->what;
}

template <class Change>
std::string fault_after(const Change& change) {
  auto a = full_announcement();
  change(a);
  return fault_of(encoded(a));
}

TEST(Announcement, ComesBackAsItWasWritten) {
  const auto a = full_announcement();
  EXPECT_EQ(std::get<Announcement>(decode(encoded(a))), a);
}

TEST(Announcement, ANodeComesBackAsItWasWritten) {
  auto a = full_announcement();
  Endpoint node;
  node.kind = EndpointKind::node;
  node.node = "/arm/controller";
  node.id = 7;
  node.generation = 4;
  node.process = a.process;
  node.pid = a.pid;
  a.changes[0].endpoint = node;
  EXPECT_EQ(format_fault(node), "");
  EXPECT_EQ(std::get<Announcement>(decode(encoded(a))), a);
}

TEST(Announcement, AFarewellComesBackAsItWasWritten) {
  Announcement a;
  a.kind = Announcement::Kind::farewell;
  a.process = std::string(kMaxProcessName, 'p');
  a.session = 1;
  a.latest = 7;
  EXPECT_EQ(std::get<Announcement>(decode(encoded(a))), a);
}

TEST(Announcement, ItsBytesAreThoseOfTheSpecification) {
  const auto bytes = encoded(full_announcement());
  const auto at = [&](std::size_t i) { return std::to_integer<int>(bytes[i]); };
  const auto text = [&](std::size_t from, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(bytes.data()) + from, size);
  };
  EXPECT_EQ(text(0, 8), std::string("taktdsc\0", 8));
  EXPECT_EQ(at(8), 2);   // version
  EXPECT_EQ(at(10), 1);  // update
  EXPECT_EQ(at(12), 3);  // snapshot, ask
  EXPECT_EQ(text(16, 23), std::string("lease-00000000000000aa\0", 23));
  EXPECT_EQ(at(80), 0x11);  // session, least significant byte first
  EXPECT_EQ(at(87), 0x88);
  EXPECT_EQ(at(88), 3);    // base
  EXPECT_EQ(at(96), 9);    // upto
  EXPECT_EQ(at(104), 12);  // latest
  EXPECT_EQ(at(112) + 256 * at(113), 4711);
  EXPECT_EQ(at(116), 2);                                                        // records
  EXPECT_EQ(at(120), 1);                                                        // added
  EXPECT_EQ(at(121), 2);                                                        // subscription
  EXPECT_EQ(at(128), 0x10);                                                     // id
  EXPECT_EQ(at(136), 4);                                                        // generation
  EXPECT_EQ(at(148) + 256 * at(149) + 65536 * at(150), 20'000'000 % 16777216);  // deadline
  EXPECT_EQ(at(164), 1);                                                        // first byte of the hash
  EXPECT_EQ(at(196), 17);                                                       // length of the topic
  EXPECT_EQ(text(198, 17), "/arm/joint_states");
  const auto removal = bytes.size() - 24;
  EXPECT_EQ(at(removal), 2);
  EXPECT_EQ(at(removal + 8), 5);
  EXPECT_EQ(at(removal + 16), 9);
}

TEST(Announcement, AnEndpointOfTheLongestNamesFits) {
  auto a = full_announcement();
  auto& e = a.changes[0].endpoint;
  e.topic = std::string(Endpoint::kMaxName, 't');
  e.type_name = std::string(Endpoint::kMaxName, 'y');
  e.node = std::string(Endpoint::kMaxName, 'n');
  e.segment = std::string(Endpoint::kMaxFileName, 's');
  e.qos.deadline = EndpointQos::kUnlimited;
  EXPECT_EQ(format_fault(e), "");
  EXPECT_EQ(std::get<Announcement>(decode(encoded(a))), a);
}

TEST(Announcement, WhatDoesNotFitTheFormatIsNamedBeforeItIsSent) {
  const auto fault = [](auto change) {
    auto e = full_endpoint(1, 2);
    change(e);
    return format_fault(e);
  };
  EXPECT_EQ(fault([](Endpoint& e) { e.topic = std::string(1024, 't'); }),
            "topic of 1024 bytes, at most 1023");
  EXPECT_EQ(fault([](Endpoint& e) { e.node = std::string("a\0b", 3); }), "node name with a zero in it");
  EXPECT_EQ(fault([](Endpoint& e) { e.segment = "../etc"; }), "a segment that is no file name");
  EXPECT_EQ(fault([](Endpoint& e) { e.segment = ".."; }), "a segment that is no file name");
  EXPECT_EQ(fault([](Endpoint& e) { e.qos.lifespan = -1ns; }), "a negative duration");
  EXPECT_EQ(fault([](Endpoint& e) { e.segment = ""; }), "");
  EXPECT_EQ(fault([](Endpoint& e) { e.kind = EndpointKind::node; }), "a node with a topic, type or segment");
}

TEST(Announcement, ADatagramIsNeverLongerThanItsBound) {
  AnnouncementWriter writer;
  std::uint64_t generation = 1;
  while (writer.try_add({true, full_endpoint(generation, generation)})) ++generation;
  auto a = full_announcement();
  a.base = 0;
  a.upto = a.latest = generation;
  const auto bytes = std::move(writer).finish(a);
  EXPECT_LE(bytes.size(), kMaxDatagram);
  EXPECT_GT(bytes.size(), kMaxDatagram - 512);
  EXPECT_EQ(std::get<Announcement>(decode(bytes)).changes.size(), generation - 1);
}

TEST(Announcement, EveryTruncationIsMalformed) {
  const auto bytes = encoded(full_announcement());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(fault_of(std::span(bytes).first(size)), "") << size;
  }
}

TEST(Announcement, BytesBeyondTheLastRecordAreMalformed) {
  auto bytes = encoded(full_announcement());
  bytes.push_back(std::byte{0});
  EXPECT_EQ(fault_of(bytes), "bytes after the last record");
  EXPECT_EQ(fault_of(std::vector<std::byte>(kMaxDatagram + 1)), "it is too long");
}

TEST(Announcement, BrokenRulesAreNamed) {
  EXPECT_EQ(fault_after([](Announcement& a) { a.session = 0; }), "session");
  EXPECT_EQ(fault_after([](Announcement& a) { a.base = 10; }), "range of generations");
  EXPECT_EQ(fault_after([](Announcement& a) { a.latest = 8; }), "range of generations");
  EXPECT_EQ(fault_after([](Announcement& a) { a.base = 0, a.snapshot = false; }), "range of generations");
  EXPECT_EQ(fault_after([](Announcement& a) { a.base = 4; }), "order of generations");
  EXPECT_EQ(fault_after([](Announcement& a) { a.upto = 8; }), "order of generations");
  EXPECT_EQ(fault_after([](Announcement& a) { std::swap(a.changes[0], a.changes[1]); }),
            "order of generations");
  EXPECT_EQ(fault_after([](Announcement& a) { a.changes[1].endpoint.id = 0; }), "endpoint id");
  EXPECT_EQ(fault_after([](Announcement& a) { a.pid = -1; }), "process id");
  EXPECT_EQ(fault_after([](Announcement& a) { a.changes[0].endpoint.qos.deadline = -1ns; }), "duration");
  EXPECT_EQ(fault_after([](Announcement& a) { a.changes[0].endpoint.segment = "a/b"; }), "segment name");
  EXPECT_EQ(fault_after([](Announcement& a) { a.changes[0].endpoint.topic = std::string(1024, 'x'); }),
            "topic");
  EXPECT_EQ(fault_after([](Announcement& a) { a.changes[0].endpoint.kind = static_cast<EndpointKind>(4); }),
            "kind of endpoint");
  EXPECT_EQ(fault_after([](Announcement& a) { a.changes[0].endpoint.kind = EndpointKind::node; }),
            "node with a topic");
  EXPECT_EQ(fault_after([](Announcement& a) { a.kind = static_cast<Announcement::Kind>(9); }),
            "kind of datagram");
}

TEST(Announcement, AProcessNameIsAPlainFileName) {
  for (const std::size_t at : {16U, 20U, 79U}) {  // an empty name, a slash, no end
    auto bytes = encoded(full_announcement());
    if (at == 79) std::fill_n(bytes.begin() + 16, 64, std::byte{'x'});
    bytes[at] = at == 16 ? std::byte{0} : std::byte{'/'};
    EXPECT_EQ(fault_of(bytes), "process name") << at;
  }
  auto a = full_announcement();
  for (const auto* name : {"", ".", "..", "a/b"}) {
    a.process = name;
    EXPECT_THROW(encoded(a), SetupError) << name;
  }
  a.process = std::string(kMaxProcessName + 1, 'p');
  EXPECT_THROW(encoded(a), SetupError);
}

TEST(Announcement, AnotherVersionIsNamedWithItsProcess) {
  auto bytes = encoded(full_announcement());
  bytes[8] = std::byte{7};
  bytes[80] = std::byte{99};
  bytes.resize(100);  // whatever may follow the process's name there
  const auto result = decode(bytes);
  ASSERT_TRUE(std::holds_alternative<OtherVersion>(result));
  EXPECT_EQ(std::get<OtherVersion>(result).version, 7);
  EXPECT_EQ(std::get<OtherVersion>(result).process, "lease-00000000000000aa");
}

// Whatever comes in, it is refused or it keeps all rules; the address sanitizer watches.
TEST(Announcement, MutatedDatagramsAreRefusedOrKeepTheRules) {
  std::mt19937_64 random(20260101);
  const auto original = encoded(full_announcement());
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 200'000; ++i) {
    auto bytes = original;
    const auto changes = 1 + random() % 4;
    for (std::uint64_t c = 0; c < changes; ++c)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 40));
    // An own block of memory, so that reading one byte too many is seen.
    const std::vector<std::byte> exact(bytes.begin(), bytes.end());
    const auto result = decode(exact);
    if (const auto* a = std::get_if<Announcement>(&result)) {
      ++accepted;
      EXPECT_LE(a->upto, a->latest);
      for (const auto& change : a->changes) EXPECT_EQ(change.added ? format_fault(change.endpoint) : "", "");
      ASSERT_EQ(encoded(*a), exact);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Announcement, NoiseIsRefused) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> noise(random() % 400);
    for (auto& byte : noise) byte = static_cast<std::byte>(random());
    EXPECT_NE(fault_of(noise), "");
  }
}

}  // namespace
}  // namespace takt::shm
