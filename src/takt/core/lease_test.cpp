// SPDX-License-Identifier: Apache-2.0
#include "takt/core/lease.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "takt/core/error.hpp"
#include "takt/core/fork.hpp"

namespace takt {
namespace {

class LeaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/dev/shm/takt-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool empty() const { return std::filesystem::is_empty(folder_); }

  std::filesystem::path folder_;
};

/// A process that runs `body` and then waits to be killed; it has written to the pipe when the body is done.
template <class Body>
pid_t process_that(Body body) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    body();
    EXPECT_EQ(::write(ready[1], "x", 1), 1);
    for (;;) ::pause();
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return pid;
}

void kill_and_wait(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST_F(LeaseTest, LivesFromCreationToDestruction) {
  const auto path = folder_ / "lease";
  EXPECT_FALSE(Lease::alive(path));
  {
    const auto lease = Lease::create(folder_, "lease");
    EXPECT_EQ(lease->path(), path);
    EXPECT_TRUE(Lease::alive(path));
    EXPECT_FALSE(Lease::reclaim(path));
    EXPECT_TRUE(Lease::alive(path)) << "asking for it took it";
  }
  EXPECT_FALSE(Lease::alive(path));
  EXPECT_TRUE(empty());
}

TEST_F(LeaseTest, SaysWhoOwnsIt) {
  const auto lease = Lease::create(folder_, "lease");
  const auto owner = Lease::owner(lease->path());
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->pid, ::getpid());
  EXPECT_GT(owner->start_ticks, 0U);
  EXPECT_FALSE(owner->version.empty());
  EXPECT_FALSE(Lease::owner(folder_ / "none"));
  std::ofstream(folder_ / "other") << "something else\n";
  EXPECT_FALSE(Lease::owner(folder_ / "other"));
}

TEST_F(LeaseTest, DoesNotTakeANameThatExists) {
  const auto lease = Lease::create(folder_, "lease");
  EXPECT_THROW(Lease::create(folder_, "lease"), SetupError);
  EXPECT_TRUE(Lease::alive(lease->path()));
}

TEST_F(LeaseTest, EndsWithItsProcessHoweverThatEnds) {
  const auto path = folder_ / "lease";
  const pid_t pid = process_that([&] { (void)Lease::create(folder_, "lease").release(); });
  EXPECT_TRUE(Lease::alive(path));
  EXPECT_FALSE(Lease::reclaim(path));
  kill_and_wait(pid);
  EXPECT_FALSE(Lease::alive(path));
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(Lease::reclaim(path));
  EXPECT_FALSE(Lease::reclaim(path)) << "only one may win";
  EXPECT_TRUE(empty());
}

TEST_F(LeaseTest, OneOfManyProcessesReclaimsADeadOne) {
  const auto path = folder_ / "lease";
  for (int round = 0; round < 20; ++round) {
    kill_and_wait(process_that([&] { (void)Lease::create(folder_, "lease").release(); }));
    pid_t pids[4];
    for (auto& pid : pids) {
      pid = ::fork();
      if (pid == 0) ::_exit(Lease::reclaim(path) ? 1 : 0);
    }
    int winners = 0;
    for (const auto pid : pids) {
      int status = 0;
      ::waitpid(pid, &status, 0);
      winners += WEXITSTATUS(status);
    }
    EXPECT_EQ(winners, 1);
  }
}

TEST_F(LeaseTest, AChildOfAForkDoesNotKeepADeadParentAlive) {
  const auto path = folder_ / "lease";
  int grandchild[2];
  ASSERT_EQ(::pipe(grandchild), 0);
  const pid_t parent = process_that([&] {
    (void)Lease::create(folder_, "lease").release();
    if (::fork() == 0) {  // says who it is once fork() has returned in it
      const pid_t self = ::getpid();
      EXPECT_EQ(::write(grandchild[1], &self, sizeof self), static_cast<ssize_t>(sizeof self));
      for (;;) ::pause();
    }
  });
  pid_t child = 0;
  ASSERT_EQ(::read(grandchild[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_TRUE(Lease::alive(path));
  kill_and_wait(parent);
  EXPECT_EQ(::kill(child, 0), 0) << "the child lives";
  EXPECT_FALSE(Lease::alive(path));
  ::kill(child, SIGKILL);
  ::close(grandchild[0]);
  ::close(grandchild[1]);
}

TEST_F(LeaseTest, AChildThatEndsDoesNotRemoveItsParentsLease) {
  auto lease = Lease::create(folder_, "lease");
  const pid_t child = ::fork();
  if (child == 0) {
    lease.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(Lease::alive(lease->path()));
}

TEST_F(LeaseTest, ALinkOrAFolderIsNobodysLease) {
  const auto lease = Lease::create(folder_, "lease");
  std::filesystem::create_symlink(lease->path(), folder_ / "link");
  EXPECT_FALSE(Lease::alive(folder_ / "link"));
  EXPECT_FALSE(Lease::reclaim(folder_ / "link"));
  EXPECT_FALSE(Lease::reclaim(folder_));
}

TEST_F(LeaseTest, WithoutADescriptorLeftNobodyIsTakenForDead) {
  const auto lease = Lease::create(folder_, "lease");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
    bool refused = false;
    try {
      Lease::create(folder_, "another");
    } catch (const SetupError& error) {
      refused = error.fix().find("ulimit -n") != std::string::npos;
    }
    ::_exit(refused && Lease::alive(lease->path()) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ForkGuardTest, TheGenerationMovesInTheChildOnly) {
  const auto before = ForkGuard::generation();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(ForkGuard::generation() == before + 1 ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ForkGuard::generation(), before);
}

}  // namespace
}  // namespace takt
