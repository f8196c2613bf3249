// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/domain.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "takt/core/error.hpp"

namespace takt::shm {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): what follows from the environment is what is tested, on one thread

class DomainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/dev/shm/takt-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    base_ = name;
    ::unsetenv("ROS_DOMAIN_ID");
    ::unsetenv("TAKT_SHM_DIR");
  }
  void TearDown() override {
    ::unsetenv("ROS_DOMAIN_ID");
    ::unsetenv("TAKT_SHM_DIR");
    std::filesystem::remove_all(base_);
  }

  std::string base_;
};

TEST_F(DomainTest, IsAFolderOfItsUserAlone) {
  const auto domain = Domain::open(base_);
  EXPECT_EQ(domain.path(), base_ + "/0");
  struct stat found {};
  ASSERT_EQ(::stat(domain.path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0700U);
  EXPECT_EQ(Domain::open(base_).path(), domain.path());
}

TEST_F(DomainTest, FollowsTheEnvironment) {
  ::setenv("ROS_DOMAIN_ID", "42", 1);
  ::setenv("TAKT_SHM_DIR", (base_ + "/mine").c_str(), 1);
  EXPECT_EQ(Domain::open().path(), base_ + "/mine/42");
  EXPECT_EQ(Domain::open().number(), 42U);
}

TEST_F(DomainTest, RefusesADomainThatIsNone) {
  for (const char* text : {"233", "-1", "x", "1x", " 1", "99999999999999999999"}) {
    ::setenv("ROS_DOMAIN_ID", text, 1);
    EXPECT_THROW(Domain::open(base_), SetupError) << text;
  }
  ::setenv("ROS_DOMAIN_ID", "", 1);
  EXPECT_EQ(Domain::open(base_).number(), 0U);
}

// NOLINTEND(concurrency-mt-unsafe)

TEST_F(DomainTest, RefusesAFolderThatOthersCanEnter) {
  std::filesystem::create_directory(base_ + "/0");
  ::chmod((base_ + "/0").c_str(), 0755);
  EXPECT_THROW(Domain::open(base_), SetupError);
  ::chmod((base_ + "/0").c_str(), 0700);
  ::chmod(base_.c_str(), 0701);
  EXPECT_THROW(Domain::open(base_), SetupError);
  ::chmod(base_.c_str(), 0700);
  EXPECT_NO_THROW(Domain::open(base_));
}

TEST_F(DomainTest, RefusesALinkAndAFile) {
  std::filesystem::create_directory(base_ + "/elsewhere");
  ::chmod((base_ + "/elsewhere").c_str(), 0700);
  std::filesystem::create_symlink(base_ + "/elsewhere", base_ + "/0");
  EXPECT_THROW(Domain::open(base_), SetupError);
  std::filesystem::remove(base_ + "/0");
  ::fclose(::fopen((base_ + "/0").c_str(), "w"));
  EXPECT_THROW(Domain::open(base_), SetupError);
}

TEST_F(DomainTest, RefusesAnotherUsersFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  std::filesystem::create_directory(base_ + "/0");
  ::chmod((base_ + "/0").c_str(), 0700);
  ASSERT_EQ(::chown((base_ + "/0").c_str(), 12345, 12345), 0);
  try {
    Domain::open(base_);
    FAIL() << "a squatted folder was used";
  } catch (const SetupError& error) {
    EXPECT_NE(std::string(error.what()).find("12345"), std::string::npos);
    EXPECT_FALSE(error.fix().empty());
  }
}

TEST_F(DomainTest, SaysWhyAFolderCannotBeCreated) {
  EXPECT_THROW(Domain::open(base_ + "/no/such/parent"), SetupError);
}

TEST(DomainNameTest, NamesAreRandomAndReadable) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(Domain::random_name("lease"));
  EXPECT_EQ(names.size(), 1000U);
  const auto& name = *names.begin();
  EXPECT_EQ(name.size(), std::string("lease-0123456789abcdef").size());
  EXPECT_EQ(Domain::name_of("lease", Domain::id_of("lease", name)), name);
  EXPECT_EQ(Domain::name_of("segment", 0xabcU), "segment-0000000000000abc");
}

TEST(DomainNameTest, WhatIsNoSuchNameHasNoId) {
  for (const char* name : {"", "lease", "lease-", "lease-0123456789abcde", "lease-0123456789abcdef0",
                           "lease-0123456789ABCDEF", "segment-0123456789abcdef", "lease_0123456789abcdef"}) {
    EXPECT_EQ(Domain::id_of("lease", name), 0U) << name;
  }
  EXPECT_EQ(Domain::id_of("lease", "lease-0123456789abcdef"), 0x0123456789abcdefU);
}

}  // namespace
}  // namespace takt::shm
