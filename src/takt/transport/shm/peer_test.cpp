// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/peer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "takt/core/error.hpp"
#include "takt/transport/shm/endpoint_log.hpp"

namespace takt::shm {
namespace {

Endpoint small_endpoint(const std::string& topic, std::size_t padding = 0) {
  Endpoint e;
  e.topic = topic;
  e.type_name = "std_msgs/msg/Int32" + std::string(padding, 'x');
  e.node = "/n";
  return e;
}

/// One process that tells, one that listens, and the datagrams between them.
struct Telling {
  EndpointLog log{"lease-1", 42, 0x1234567890abcdef};
  EndpointLog::Told told;
  PeerView view;
  std::vector<std::string> heard;

  std::optional<Announcement> next(bool ask = false) {
    const auto bytes = log.next(told, ask);
    if (!bytes) return std::nullopt;
    EXPECT_LE(bytes->size(), kMaxDatagram);
    const auto result = decode(*bytes);
    EXPECT_TRUE(std::holds_alternative<Announcement>(result));
    return std::get<Announcement>(result);
  }
  bool hear(const Announcement& a) {
    const auto news = view.apply(a);
    for (const auto& e : news.appeared) heard.push_back("+" + e.topic);
    for (const auto& e : news.gone) heard.push_back("-" + e.topic);
    EXPECT_EQ(news.beyond_limit, 0U);
    return !news.gap;
  }
  int tell_all() {
    int count = 0;
    while (const auto a = next()) {
      EXPECT_TRUE(hear(*a));
      ++count;
    }
    return count;
  }
  std::vector<std::string> take_heard() { return std::exchange(heard, {}); }
  bool same() const {
    std::vector<Endpoint> seen;
    for (const auto& [id, e] : view.endpoints()) seen.push_back(e);
    return seen == log.all();
  }
};

using Heard = std::vector<std::string>;

TEST(PeerView, AProcessWithoutEndpointsIsKnownAsSuch) {
  Telling t;
  EXPECT_FALSE(t.view.complete());
  EXPECT_EQ(t.tell_all(), 1);
  EXPECT_TRUE(t.view.complete());
  EXPECT_EQ(t.take_heard(), Heard{});
}

TEST(PeerView, EndpointsAppearAndGo) {
  Telling t;
  const auto a = t.log.add(small_endpoint("/a")).id;
  t.log.add(small_endpoint("/b"));
  EXPECT_EQ(t.tell_all(), 1);
  EXPECT_EQ(t.take_heard(), (Heard{"+/a", "+/b"}));
  t.log.add(small_endpoint("/c"));
  EXPECT_TRUE(t.log.remove(a));
  EXPECT_FALSE(t.log.remove(a));
  EXPECT_EQ(t.tell_all(), 1);
  EXPECT_EQ(t.take_heard(), (Heard{"+/c", "-/a"}));
  EXPECT_TRUE(t.same());
  EXPECT_EQ(t.tell_all(), 0);
}

TEST(PeerView, AnEndpointThatCameAndWentUnseenIsNotReported) {
  Telling t;
  t.tell_all();
  t.log.remove(t.log.add(small_endpoint("/short")).id);
  EXPECT_EQ(t.tell_all(), 1);
  EXPECT_EQ(t.take_heard(), Heard{});
  EXPECT_TRUE(t.view.complete());
}

TEST(PeerView, RepeatedDatagramsChangeNothing) {
  Telling t;
  const auto a = t.log.add(small_endpoint("/a")).id;
  const auto first = *t.next();
  t.log.remove(a);
  t.log.add(small_endpoint("/b"));
  const auto second = *t.next();
  for (const auto* datagram : {&first, &first, &second, &first, &second}) EXPECT_TRUE(t.hear(*datagram));
  EXPECT_EQ(t.take_heard(), (Heard{"+/a", "+/b", "-/a"}));
  EXPECT_TRUE(t.same());
}

TEST(PeerView, ALostDatagramIsSeenAndAskingAgainRecoversIt) {
  Telling t;
  const auto a = t.log.add(small_endpoint("/a")).id;
  t.tell_all();
  t.take_heard();
  t.log.add(small_endpoint("/b"));
  t.next();  // lost
  t.log.remove(a);
  EXPECT_FALSE(t.hear(*t.next()));
  EXPECT_FALSE(t.view.complete());
  EXPECT_EQ(t.take_heard(), Heard{});
  t.told = {};  // what the asked one does
  t.tell_all();
  EXPECT_EQ(t.take_heard(), (Heard{"+/b", "-/a"}));
  EXPECT_TRUE(t.same());
}

TEST(PeerView, AWholeStateOfManyDatagramsComesAtOnceWhenItIsComplete) {
  Telling t;
  for (int i = 0; i < 1000; ++i) t.log.add(small_endpoint("/t" + std::to_string(i), 300));
  int parts = 0;
  while (const auto a = t.next()) {
    EXPECT_TRUE(t.hear(*a));
    EXPECT_EQ(t.view.endpoints().size(), a->upto == a->latest ? 1000U : 0U);
    ++parts;
  }
  EXPECT_GT(parts, 10);
  EXPECT_TRUE(t.same());
}

TEST(PeerView, ChangesWithinAWholeStateAreNotLost) {
  Telling t;
  std::vector<EndpointId> ids;
  for (int i = 0; i < 300; ++i) ids.push_back(t.log.add(small_endpoint("/t" + std::to_string(i), 300)).id);
  EXPECT_TRUE(t.hear(*t.next()));
  t.log.remove(ids[0]);    // told already
  t.log.remove(ids[299]);  // not yet told
  t.log.add(small_endpoint("/new"));
  t.tell_all();
  EXPECT_EQ(t.heard.size(), 299U);
  EXPECT_TRUE(t.same());
  EXPECT_TRUE(t.view.complete());
}

TEST(PeerView, APartThatIsMissingIsSeen) {
  Telling t;
  for (int i = 0; i < 300; ++i) t.log.add(small_endpoint("/t" + std::to_string(i), 300));
  EXPECT_TRUE(t.hear(*t.next()));
  t.next();  // lost
  EXPECT_FALSE(t.hear(*t.next()));
  t.told = {};
  t.tell_all();
  EXPECT_TRUE(t.same());
}

TEST(PeerView, OneWhoFellFarBehindIsToldTheWholeStateAnew) {
  Telling t;
  t.log.add(small_endpoint("/stays"));
  t.tell_all();
  for (std::size_t i = 0; i < EndpointLog::kRemovalsKept + 10; ++i) {
    t.log.remove(t.log.add(small_endpoint("/x")).id);
  }
  const auto a = *t.next();
  EXPECT_TRUE(a.snapshot);
  EXPECT_EQ(a.base, 0U);
  EXPECT_TRUE(t.hear(a));
  EXPECT_EQ(t.take_heard(), Heard{"+/stays"});
  EXPECT_TRUE(t.same());
}

TEST(PeerView, ANewSessionOfTheSameProcessReplacesTheOldOne) {
  Telling t;
  t.log.add(small_endpoint("/old"));
  t.tell_all();
  t.log = EndpointLog("lease-1", 42, 0x9999);
  t.told = {};
  t.log.add(small_endpoint("/new"));
  t.tell_all();
  EXPECT_EQ(t.take_heard(), (Heard{"+/old", "+/new", "-/old"}));
  EXPECT_TRUE(t.same());
}

TEST(PeerView, AnAskIsSentEvenWhenThereIsNothingToTell) {
  Telling t;
  t.tell_all();
  const auto a = t.next(true);
  ASSERT_TRUE(a);
  EXPECT_TRUE(a->ask);
  EXPECT_TRUE(t.hear(*a));
  EXPECT_TRUE(t.view.complete());
}

TEST(PeerView, AfterClearNothingIsKnown) {
  Telling t;
  t.log.add(small_endpoint("/a"));
  t.tell_all();
  EXPECT_EQ(t.view.clear().size(), 1U);
  EXPECT_EQ(t.view.known(), 0U);
  EXPECT_TRUE(t.view.endpoints().empty());
}

// The invariant, under losses, repetitions and asking again at random.
TEST(PeerView, WhatIsKnownIsAlwaysTheStateOfSomeGeneration) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    Telling t;
    std::map<std::uint64_t, std::vector<Endpoint>> states;
    std::vector<EndpointId> ids;
    std::vector<Announcement> sent;
    for (int step = 0; step < 100; ++step) {
      if (random() % 2 == 0) ids.push_back(t.log.add(small_endpoint("/t", random() % 900)).id);
      if (random() % 4 == 0 && !ids.empty()) t.log.remove(ids[random() % ids.size()]);
      states[t.log.generation()] = t.log.all();
      if (const auto a = t.next()) sent.push_back(*a);
      if (!sent.empty() && random() % 8 != 0) {
        const auto old = random() % 5 == 0 ? random() % sent.size() : sent.size() - 1;
        if (!t.hear(sent[old])) t.told = {};
      }
      if (t.view.known() == 0 || !states.contains(t.view.known())) continue;
      std::vector<Endpoint> seen;
      for (const auto& [id, e] : t.view.endpoints()) seen.push_back(e);
      ASSERT_EQ(seen, states[t.view.known()]);
    }
    t.told = {};
    t.tell_all();
    ASSERT_TRUE(t.same());
  }
}

TEST(EndpointLog, IdsAreUniqueAndCarryTheProcessesRandomNumber) {
  EndpointLog log("lease-1", 42, 0x1234567890abcdef);
  const auto a = log.add(small_endpoint("/a"));
  const auto b = log.add(small_endpoint("/a"));
  EXPECT_EQ(a.id, 0x1234567890000001U);
  EXPECT_EQ(b.id, 0x1234567890000002U);
  EXPECT_EQ(a.generation, 2U);
  EXPECT_EQ(a.process, "lease-1");
  EXPECT_EQ(a.pid, 42);
}

TEST(EndpointLog, RefusesWhatOthersCouldNotRead) {
  EndpointLog log("lease-1", 42, 1);
  EXPECT_THROW(log.add(small_endpoint(std::string(2000, 't'))), SetupError);
  EXPECT_EQ(log.generation(), 1U);
}

}  // namespace
}  // namespace takt::shm
