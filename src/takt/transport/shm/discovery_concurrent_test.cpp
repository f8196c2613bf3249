// SPDX-License-Identifier: Apache-2.0
// Several participants in one process, so that the thread sanitizer sees all of them.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <random>
#include <stdexcept>

#include "takt/transport/shm/announcement.hpp"
#include "takt/transport/shm/discovery_test_support.hpp"

namespace takt::shm {
namespace {

using namespace std::chrono_literals;
using News = std::vector<std::string>;

/// Without process id and such: what everybody must agree on.
std::set<EndpointId> ids_in(const Discovery& discovery) {
  std::set<EndpointId> ids;
  for (const auto& endpoint : discovery.snapshot()) ids.insert(endpoint.id);
  return ids;
}

/// Sends one datagram to a participant's inbox.
void send_raw(const DiscoveryFolder& folder, const std::string& process,
              const std::vector<std::byte>& bytes) {
  const Descriptor fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, inbox_of(folder.domain(), process).c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::sendto(fd.get(), bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&address),
                     sizeof address),
            static_cast<ssize_t>(bytes.size()));
}

TEST(DiscoveryConcurrent, TwoFindEachOthersEndpointsWhoeverCameFirst) {
  const DiscoveryFolder folder;
  Participant first(folder);
  first->add(endpoint_on("/early"));
  Participant second(folder);
  second->add(endpoint_on("/late", EndpointKind::subscription));
  EXPECT_TRUE(comes_true([&] { return first.has_heard("+ /late") && second.has_heard("+ /early"); }));
  EXPECT_EQ(first->snapshot().size(), 2U);
  EXPECT_EQ(first->peers(), 1U);
}

TEST(DiscoveryConcurrent, AnEndpointComesAsItWasAnnounced) {
  const DiscoveryFolder folder;
  Participant first(folder);
  Participant second(folder);
  auto endpoint = endpoint_on("/scan", EndpointKind::subscription);
  endpoint.type_hash.fill(std::byte{0x5a});
  endpoint.qos.reliability = EndpointQos::Reliability::best_effort;
  endpoint.qos.deadline = 10ms;
  endpoint.qos.depth = 12;
  const auto id = first->add(endpoint);
  ASSERT_TRUE(comes_true([&] { return second.has_heard("+ /scan"); }));
  endpoint.id = id;
  endpoint.generation = 2;
  endpoint.pid = ::getpid();
  endpoint.process = first.process();
  EXPECT_EQ(second.last_endpoint(), endpoint);
}

TEST(DiscoveryConcurrent, AddedAndRemovedEndpointsAreReportedOnceEach) {
  const DiscoveryFolder folder;
  Participant first(folder);
  Participant second(folder);
  const auto a = first->add(endpoint_on("/a"));
  ASSERT_TRUE(comes_true([&] { return second.has_heard("+ /a"); }));
  EXPECT_TRUE(first->remove(a));
  EXPECT_FALSE(first->remove(a));
  ASSERT_TRUE(comes_true([&] { return second.has_heard("- /a left"); }));
  first->add(endpoint_on("/b"));
  ASSERT_TRUE(comes_true([&] { return second.has_heard("+ /b"); }));
  first.leave();
  ASSERT_TRUE(comes_true([&] { return second.has_heard("- /b left"); }));
  EXPECT_EQ(second.heard(), (News{"+ /a", "- /a left", "+ /b", "- /b left"}));
  EXPECT_EQ(second->peers(), 0U);
}

TEST(DiscoveryConcurrent, ThousandsOfEndpointsComeThroughASmallInbox) {
  const DiscoveryFolder folder;
  Participant first(folder);
  for (int i = 0; i < 3000; ++i) first->add(endpoint_on("/" + std::string(500, 't') + std::to_string(i)));
  Participant second(folder);
  EXPECT_TRUE(comes_true([&] { return second->snapshot().size() == 3000; }));
  EXPECT_TRUE(comes_true([&] { return second.heard().size() == 3000; }));
  EXPECT_EQ(ids_in(*first), ids_in(*second));
}

TEST(DiscoveryConcurrent, WaitsUntilEveryoneHasToldEverything) {
  const DiscoveryFolder folder;
  Participant first(folder);
  EXPECT_TRUE(first->wait_until_complete(30s));  // nobody is there
  for (int i = 0; i < 500; ++i) first->add(endpoint_on("/t" + std::to_string(i)));
  Participant second(folder);
  EXPECT_TRUE(second->wait_until_complete(30s));
  EXPECT_EQ(second->snapshot().size(), 500U);
  EXPECT_EQ(second.heard().size(), 500U);
}

TEST(DiscoveryConcurrent, AllWhoStartAtOneInstantFindEachOther) {
  for (int round = 0; round < 15; ++round) {
    const DiscoveryFolder folder;
    constexpr std::size_t kMany = 6;
    std::vector<std::unique_ptr<Participant>> all(kMany);
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (auto& one : all) {
      threads.emplace_back([&] {
        while (!go) std::this_thread::yield();
        one = std::make_unique<Participant>(folder);
        (*one)->add(endpoint_on("/t"));
      });
    }
    go = true;
    for (auto& thread : threads) thread.join();
    for (const auto& one : all) {
      ASSERT_TRUE(comes_true([&] { return one->count_of("+ /t") == kMany - 1; })) << one->heard().size();
    }
  }
}

TEST(DiscoveryConcurrent, UnderChangesFromManyThreadsAllAgreeInTheEnd) {
  const DiscoveryFolder folder;
  Participant steady(folder);
  std::vector<std::unique_ptr<Participant>> stayed(3);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < stayed.size(); ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(static_cast<unsigned>(i));
      stayed[i] = std::make_unique<Participant>(folder);
      std::vector<EndpointId> own;
      for (int step = 0; step < 150; ++step) {
        own.push_back((*stayed[i])->add(endpoint_on("/x" + std::to_string(step))));
        if (random() % 2 == 0) (*stayed[i])->remove(own[random() % own.size()]);
        if (random() % 16 == 0) Participant(folder)->add(endpoint_on("/short"));
        static_cast<void>(steady->snapshot());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<EndpointId> expected;
  for (const auto& one : stayed) {
    for (const auto& endpoint : (*one)->snapshot()) {
      if (endpoint.process == one->process()) expected.insert(endpoint.id);
    }
  }
  EXPECT_TRUE(comes_true([&] { return ids_in(*steady) == expected; }));
  for (const auto& one : stayed) EXPECT_TRUE(comes_true([&] { return ids_in(**one) == expected; }));
  std::size_t appeared = 0;
  std::size_t gone = 0;
  for (const auto& news : steady.heard()) ++(news[0] == '+' ? appeared : gone);
  EXPECT_EQ(appeared - gone, expected.size());
}

TEST(DiscoveryConcurrent, TheOwnersFunctionsMayAddAndRemoveAndThrow) {
  const DiscoveryFolder folder;
  const auto lease = Lease::create(folder.domain().path(), Domain::random_name(kLeaseKind));
  std::unique_ptr<Discovery> answering;
  std::atomic<bool> ready{false};
  DiscoveryOwner owner;
  owner.on_appeared = [&](const Endpoint& e) {
    while (!ready) std::this_thread::yield();
    answering->remove(answering->add(endpoint_on("/brief")));
    answering->add(endpoint_on("/answer" + e.topic));
    throw std::runtime_error("as a test");
  };
  answering = std::make_unique<Discovery>(folder.domain(), *lease, owner);
  ready = true;
  Participant other(folder);
  other->add(endpoint_on("/question"));
  EXPECT_TRUE(comes_true([&] { return other.has_heard("+ /answer/question"); }));
  EXPECT_TRUE(comes_true([&] { return answering->counters().owner_errors == 1; }));
}

TEST(DiscoveryConcurrent, OneLeaseCanJoinAgainAfterLeaving) {
  const DiscoveryFolder folder;
  Participant other(folder);
  const auto lease = Lease::create(folder.domain().path(), Domain::random_name(kLeaseKind));
  for (int i = 0; i < 10; ++i) {
    Discovery again(folder.domain(), *lease, {});
    again.add(endpoint_on("/again"));
    EXPECT_TRUE(comes_true([&] { return other.count_of("+ /again") == i + 1; }));
  }
  EXPECT_TRUE(comes_true([&] { return other.count_of("- /again left") == 10; }));
}

TEST(DiscoveryConcurrent, OfALongPathThePathIsNamed) {
  const DiscoveryFolder folder;
  const auto domain = Domain::open(folder.base() + "/" + std::string(90, 'd'), 0);
  const auto lease = Lease::create(domain.path(), Domain::random_name(kLeaseKind));
  try {
    const Discovery discovery(domain, *lease, {});
    FAIL();
  } catch (const SetupError& e) {
    EXPECT_NE(std::string(e.what()).find("may have 107 bytes"), std::string::npos) << e.what();
    EXPECT_NE(e.fix().find("TAKT_SHM_DIR"), std::string::npos);
  }
}

TEST(DiscoveryConcurrent, MalformedDatagramsAreCountedAndHarmNobody) {
  const DiscoveryFolder folder;
  Participant first(folder);
  Participant second(folder);
  second->add(endpoint_on("/a"));
  ASSERT_TRUE(comes_true([&] { return first.has_heard("+ /a"); }));
  EndpointLog log(second.process(), ::getpid(), 77);
  log.add(endpoint_on("/mutant"));
  EndpointLog::Told told;
  const auto good = *log.next(told, true);
  std::mt19937_64 random(5);
  std::uint64_t sent = 0;
  for (int i = 0; i < 2000; ++i, ++sent) {
    auto bytes = good;
    for (int c = 0; c < 3; ++c) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (i % 3 == 0) bytes.resize(random() % bytes.size());
    send_raw(folder, first.process(), bytes);
  }
  send_raw(folder, first.process(), std::vector<std::byte>(kMaxDatagram + 1));
  EXPECT_TRUE(comes_true([&] { return first->counters().received > sent; }));
  EXPECT_GT(first->counters().malformed, 100U);
  EXPECT_GT(first->counters().other_version, 0U);
  // The real one's next word counts again, whatever was said in its name.
  second->add(endpoint_on("/b"));
  EXPECT_TRUE(comes_true([&] {
    const auto known = first->snapshot();
    return std::ranges::count(known, "/b", &Endpoint::topic) == 1;
  }));
}

TEST(DiscoveryConcurrent, NamesThatAreNoLiveProcessesAreNotTaken) {
  const DiscoveryFolder folder;
  Participant first(folder);
  const auto say = [&](const std::string& process) {
    EndpointLog log(process, ::getpid(), 77);
    EndpointLog::Told told;
    send_raw(folder, first.process(), *log.next(told, true));
  };
  say(first.process());
  say("passwd");
  EXPECT_TRUE(comes_true([&] { return first->counters().wrong_process == 2; }));
  say(Domain::random_name(kLeaseKind));
  EXPECT_TRUE(comes_true([&] { return first->counters().late == 1; }));
  EXPECT_EQ(first->peers(), 0U);
}

TEST(DiscoveryConcurrent, WhatWasLostIsAskedForAgain) {
  const DiscoveryFolder folder;
  Participant first(folder);
  Participant second(folder);
  second->add(endpoint_on("/a"));
  ASSERT_TRUE(comes_true([&] { return first.has_heard("+ /a"); }));
  // In the second one's name: a change that leaves a gap.
  const auto own = second->snapshot().front();
  Announcement gap;
  gap.process = second.process();
  gap.pid = ::getpid();
  gap.base = 100;
  gap.upto = gap.latest = 101;
  gap.session = 1;  // another session: all that was known is void until the real one answers
  send_raw(folder, first.process(), AnnouncementWriter{}.finish(gap));
  EXPECT_TRUE(comes_true([&] { return first.count_of("+ /a") == 2; }));
  EXPECT_GE(first->counters().asked_again, 1U);
  EXPECT_EQ(first.last_endpoint().id, own.id);
}

}  // namespace
}  // namespace takt::shm
