// SPDX-License-Identifier: Apache-2.0
// Discovery between real processes: deaths, stops, forks, other users.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>
#include <random>

#include "takt/transport/shm/announcement.hpp"
#include "takt/transport/shm/discovery_test_support.hpp"
#include "takt/transport/shm/process_test_support.hpp"

namespace takt::shm {
namespace {

using namespace std::chrono_literals;

Duration since(SteadyTime start) { return SteadyClock::instance()->steady_now() - start; }
SteadyTime steady_now() { return SteadyClock::instance()->steady_now(); }

/// The files of one participant that is alone.
std::set<std::string> files_of(const Participant& one) {
  return {one.process(), Domain::name_of(kInboxKind, Domain::id_of(kLeaseKind, one.process()))};
}

TEST(DiscoveryProcess, AnotherProcessesEndpointsComeAndGo) {
  const DiscoveryFolder folder;
  PeerProcess peer(folder);
  peer.tell("add pub /a");
  Participant own(folder);
  EXPECT_TRUE(comes_true([&] { return own.has_heard("+ /a"); }));
  EXPECT_EQ(own.last_endpoint().pid, peer.pid());
  EXPECT_EQ(own.last_endpoint().process, peer.lease());
  const auto id = peer.tell("add sub /b");
  EXPECT_TRUE(comes_true([&] { return own.has_heard("+ /b"); }));
  EXPECT_EQ(peer.tell("remove " + id), "removed");
  EXPECT_TRUE(comes_true([&] { return own.has_heard("- /b left"); }));
  peer.quit();
  EXPECT_TRUE(comes_true([&] { return own.has_heard("- /a left"); }));
  EXPECT_TRUE(comes_true([&] { return folder.files() == files_of(own); }));
}

TEST(DiscoveryProcess, ADeathIsReportedAtOnceAndItsLeftoversAreRemoved) {
  const DiscoveryFolder folder;
  std::mutex mutex;
  std::vector<std::vector<std::string>> removed;
  Participant own(folder, [&](const Domain&, const std::vector<std::string>& segments) {
    const std::lock_guard lock(mutex);
    removed.push_back(segments);
  });
  PeerProcess peer(folder);
  peer.tell("add pub /a");
  ASSERT_TRUE(comes_true([&] { return own.has_heard("+ /a"); }));
  const auto start = steady_now();
  peer.signal(SIGKILL);
  EXPECT_TRUE(comes_true([&] { return own.has_heard("- /a died"); }));
  RecordProperty("noticed", takt::to_string(since(start)));
  EXPECT_TRUE(comes_true([&] { return folder.files() == files_of(own); }));
  EXPECT_TRUE(comes_true([&] { return own->counters().reclaimed == 1; }));
  const std::lock_guard lock(mutex);
  const std::vector<std::vector<std::string>> all_and_then_its_own{{}, {"segment-of-a"}};
  EXPECT_EQ(removed, all_and_then_its_own);
}

TEST(DiscoveryProcess, ARestartedPublisherIsFoundAgain) {
  const DiscoveryFolder folder;
  Participant own(folder);
  Duration slowest{};
  for (int i = 1; i <= 10; ++i) {
    PeerProcess peer(folder);
    const auto start = steady_now();
    peer.tell("add pub /a");
    ASSERT_TRUE(comes_true([&] { return own.count_of("+ /a") == i; }));
    slowest = std::max(slowest, since(start));
    peer.kill();
  }
  RecordProperty("slowest", takt::to_string(slowest));
  EXPECT_TRUE(comes_true([&] { return own.count_of("- /a died") == 10; }));
  EXPECT_TRUE(comes_true([&] { return folder.files() == files_of(own); }));
}

TEST(DiscoveryProcess, OfAllWhoSeeADeathOneReclaims) {
  const DiscoveryFolder folder;
  std::vector<std::unique_ptr<Participant>> all;
  for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<Participant>(folder));
  PeerProcess peer(folder);
  peer.tell("add pub /a");
  for (const auto& one : all) ASSERT_TRUE(comes_true([&] { return one->has_heard("+ /a"); }));
  peer.kill();
  for (const auto& one : all) ASSERT_TRUE(comes_true([&] { return one->has_heard("- /a died"); }));
  const auto reclaimed = [&] {
    std::uint64_t sum = 0;
    for (const auto& one : all) sum += (*one)->counters().reclaimed;
    return sum;
  };
  EXPECT_TRUE(comes_true([&] { return reclaimed() == 1; }));
}

TEST(DiscoveryProcess, AStoppedProcessHarmsNobodyAndCatchesUp) {
  const DiscoveryFolder folder;
  PeerProcess stopped(folder);
  PeerProcess awake(folder);
  Participant own(folder);
  ASSERT_TRUE(comes_true([&] { return own->peers() == 2; }));
  ASSERT_TRUE(own->wait_until_complete(30s));
  stopped.stop();
  for (int i = 0; i < 200; ++i) {  // until its inbox is full, and far beyond
    own->add(endpoint_on("/" + std::string(900, 'x')));
    std::this_thread::sleep_for(100us);
  }
  EXPECT_TRUE(comes_true([&] { return awake.tell("count") == "200"; }));
  EXPECT_TRUE(comes_true([&] { return own->counters().inbox_full > 0; }));
  Participant newcomer(folder);  // who never gets an answer from it
  newcomer->add(endpoint_on("/new"));
  EXPECT_TRUE(comes_true([&] { return awake.tell("count") == "201"; }));
  EXPECT_TRUE(comes_true([&] { return newcomer->snapshot().size() == 201; }));
  EXPECT_FALSE(newcomer->wait_until_complete(1ms));
  stopped.signal(SIGCONT);
  EXPECT_TRUE(comes_true([&] { return stopped.tell("count") == "201"; }));
  EXPECT_TRUE(newcomer->wait_until_complete(30s));
}

TEST(DiscoveryProcess, LeavingDoesNotWaitForAStoppedProcess) {
  const DiscoveryFolder folder;
  PeerProcess stopped(folder);
  auto own = std::make_unique<Participant>(folder);
  ASSERT_TRUE(comes_true([&] { return (*own)->peers() == 1; }));
  ASSERT_TRUE((*own)->wait_until_complete(30s));
  stopped.stop();
  while ((*own)->counters().inbox_full == 0) {
    (*own)->add(endpoint_on("/x"));
    std::this_thread::sleep_for(100us);
  }
  own.reset();
  stopped.signal(SIGCONT);
  // The farewell did not get through, and this process lives on: the next word to it is refused.
  stopped.tell("add pub /y");
  EXPECT_TRUE(comes_true([&] { return stopped.tell("count") == "1"; }));
}

TEST(DiscoveryProcess, AStoppedProcessThatIsKilledIsNoticed) {
  const DiscoveryFolder folder;
  PeerProcess peer(folder);
  peer.tell("add pub /a");
  peer.stop();
  Participant own(folder);  // has never heard of it but by its files
  ASSERT_TRUE(comes_true([&] { return own->peers() == 1; }));
  peer.kill();
  EXPECT_TRUE(comes_true([&] { return own->peers() == 0; }));
  EXPECT_TRUE(comes_true([&] { return folder.files() == files_of(own); }));
}

TEST(DiscoveryProcess, AForkedChildDoesNotKeepItsDeadParentAlive) {
  const DiscoveryFolder folder;
  auto own = std::make_unique<Participant>(folder);
  PeerProcess parent(folder);
  parent.tell("add pub /a");
  const auto child = std::stoi(parent.tell("fork"));
  ASSERT_TRUE(comes_true([&] { return own->has_heard("+ /a"); }));
  own->leave();  // so that nobody looks when it dies
  own.reset();
  parent.kill();
  EXPECT_EQ(::kill(child, 0), 0);
  Participant newcomer(folder);
  EXPECT_TRUE(newcomer->wait_until_complete(30s));
  EXPECT_EQ(newcomer->peers(), 0U);
  EXPECT_TRUE(comes_true([&] { return folder.files() == files_of(newcomer); }));
  ::kill(child, SIGKILL);
}

TEST(DiscoveryProcess, AChildOfAForkMayDestroyItsCopy) {
  const DiscoveryFolder folder;
  auto own = std::make_unique<Participant>(folder);
  PeerProcess peer(folder);
  peer.tell("add pub /a");
  ASSERT_TRUE(comes_true([&] { return own->has_heard("+ /a"); }));
  const auto child = ::fork();
  if (child == 0) {
    own->leave();
    ::_exit(3);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  peer.tell("add pub /b");
  EXPECT_TRUE(comes_true([&] { return own->has_heard("+ /b"); }));
}

TEST(DiscoveryProcess, WhoeverIsKilledWheneverLeavesNothingForLong) {
  const DiscoveryFolder folder;
  std::mt19937 random(3);
  const int kills = repetitions(60, 500);
  Participant witness(folder);
  for (int i = 0; i < kills; ++i) {
    PeerProcess peer(folder, false);
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 15'000});
    peer.kill();
  }
  Participant newcomer(folder);
  ASSERT_TRUE(newcomer->wait_until_complete(30s));
  auto expected = files_of(witness);
  expected.merge(files_of(newcomer));
  EXPECT_TRUE(comes_true([&] { return folder.files() == expected; }));
  EXPECT_EQ(newcomer->peers(), 1U);
  EXPECT_TRUE(comes_true([&] { return witness->peers() == 1; }));
}

rlimit descriptor_limit() {
  rlimit limit{};
  TAKT_CHECK(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit;
}

void limit_descriptors(rlim_t most) {
  auto limit = descriptor_limit();
  limit.rlim_cur = most;
  TAKT_CHECK(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/// Runs in a child: joins with ever more descriptors left. 0: each failure named the limit and leaked
/// nothing.
int join_with_few_descriptors(const DiscoveryFolder& folder) {
  const auto before = descriptor_limit().rlim_cur;
  int always_next = -1;
  for (rlim_t spare = 0; spare < 20; ++spare) {
    const auto lease = Lease::create(folder.domain().path(), Domain::random_name(kLeaseKind));
    const int next = ::dup(STDIN_FILENO);
    ::close(next);
    if (always_next != next && always_next != -1) return 1;
    always_next = next;
    try {
      limit_descriptors(static_cast<rlim_t>(next) + spare);
      const Discovery discovery(folder.domain(), *lease, {});
      return spare >= 3 ? 0 : 2;
    } catch (const SetupError& error) {
      if (error.fix().find("ulimit -n") == std::string::npos) return 3;
    }
    limit_descriptors(before);
  }
  return 4;
}

TEST(DiscoveryProcess, WithoutDescriptorsItDoesNotStartAndSaysWhy) {
#if defined(TAKT_ASAN)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which no descriptor is left";
#endif
  const DiscoveryFolder folder;
  const PeerProcess peer(folder);
  const auto child = ::fork();
  if (child == 0) ::_exit(join_with_few_descriptors(folder));
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

TEST(DiscoveryProcess, WithoutADescriptorNothingIsToldAndLaterEverythingIs) {
#if defined(TAKT_ASAN)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which no descriptor is left";
#endif
  const DiscoveryFolder folder;
  PeerProcess peer(folder);
  Participant own(folder);
  ASSERT_TRUE(own->wait_until_complete(30s));
  const auto before = descriptor_limit().rlim_cur;
  limit_descriptors(0);
  own->add(endpoint_on("/a"));
  EXPECT_TRUE(comes_true([&] { return own->counters().not_sent > 0; }));
  limit_descriptors(before);
  EXPECT_TRUE(comes_true([&] { return peer.tell("count") == "1"; }));
}

TEST(DiscoveryProcess, OneAloneRemovesWhatACrashOfAllLeft) {
  const DiscoveryFolder folder;
  {
    std::vector<std::unique_ptr<PeerProcess>> all;
    for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<PeerProcess>(folder));
    for (const auto& one : all) one->stop();  // so that none reclaims another
    for (const auto& one : all) one->kill();
  }
  EXPECT_EQ(folder.files().size(), 10U);
  for (const char* name : {"inbox-00000000000000aa", "lease-00000000000000bb", "something else"}) {
    std::ofstream file(folder.domain().path() / name);  // an inbox without a lease, a lease without an inbox
    EXPECT_TRUE(file);
  }
  Participant own(folder);
  auto expected = files_of(own);
  expected.insert("something else");
  EXPECT_TRUE(comes_true([&] { return folder.files() == expected; }));
  EXPECT_EQ(own->counters().reclaimed, 6U);
}

/// Runs in a child of the test: speaks to an inbox, perhaps as another user.
void speak_as(uid_t user, const std::filesystem::path& inbox, const std::vector<std::byte>& bytes) {
  const auto child = ::fork();
  if (child == 0) {
    const Descriptor fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, inbox.c_str(), sizeof address.sun_path - 1);
    const bool connected =
        ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    const bool changed = user == ::getuid() || ::setresuid(user, user, user) == 0;
    ::_exit(connected && changed && ::send(fd.get(), bytes.data(), bytes.size(), 0) > 0 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

std::vector<std::byte> announcement_of(const std::string& process) {
  EndpointLog log(process, 1, 77);
  log.add(endpoint_on("/forged"));
  EndpointLog::Told told;
  return *log.next(told, true);
}

TEST(DiscoveryProcess, AnotherUsersWordIsRefusedAndCounted) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to speak as another user";
  const DiscoveryFolder folder;
  Participant own(folder);
  PeerProcess peer(folder);
  ASSERT_TRUE(comes_true([&] { return own->peers() == 1; }));
  speak_as(65'534, inbox_of(folder.domain(), own.process()), announcement_of(peer.lease()));
  EXPECT_TRUE(comes_true([&] { return own->counters().other_user == 1; }));
  EXPECT_FALSE(own.has_heard("+ /forged"));
}

TEST(DiscoveryProcess, NobodySpeaksForAnotherProcess) {
  const DiscoveryFolder folder;
  Participant own(folder);
  PeerProcess peer(folder);
  ASSERT_TRUE(comes_true([&] { return own->peers() == 1 && own->wait_until_complete(1s); }));
  speak_as(::getuid(), inbox_of(folder.domain(), own.process()), announcement_of(peer.lease()));
  EXPECT_TRUE(comes_true([&] { return own->counters().wrong_process == 1; }));
  EXPECT_FALSE(own.has_heard("+ /forged"));
}

/// Runs a crowd; its lines.
std::vector<std::string> crowd(const DiscoveryFolder& folder, int members, int times) {
  const auto command = std::string(TAKT_BIN_DIR "/shm_discovery_peer ") + folder.base() + " crowd " +
                       std::to_string(members) + " " + std::to_string(times);
  std::vector<std::string> lines;
  auto* out = ::popen(command.c_str(), "re");
  for (char line[256]; std::fgets(line, sizeof line, out) != nullptr;) lines.emplace_back(line);
  ::pclose(out);
  return lines;
}

TEST(DiscoveryProcess, TwoThatStartAtOneInstantAlwaysFindEachOther) {
  const DiscoveryFolder folder;
  const int times = repetitions(60, 1000);
  const auto lines = crowd(folder, 2, times);
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(times));
  for (const auto& line : lines) {
    EXPECT_TRUE(line.starts_with("2 ") && line.ends_with(" 0\n")) << line;
  }
}

TEST(DiscoveryProcess, ACrowdFindsEachOtherAndLeavesNothing) {
  const DiscoveryFolder folder;
  const int members = 24;
  for (const auto& line : crowd(folder, members, 2)) {
    EXPECT_TRUE(line.starts_with(std::to_string(members) + " ")) << line;
    EXPECT_TRUE(line.ends_with(" 0\n")) << line;
  }
}

}  // namespace
}  // namespace takt::shm
