// SPDX-License-Identifier: Apache-2.0
#include "takt/core/segment.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "takt/core/error.hpp"

namespace takt {
namespace {

class SegmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/dev/shm/takt-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(SegmentTest, HasItsNameOnlyWhenItIsPublished) {
  {
    auto segment = Segment::create(folder_, 100);
    segment.data()[99] = std::byte{7};
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    segment.publish(folder_ / "one");
    const auto other = Segment::open(folder_ / "one");
    EXPECT_EQ(other.size(), 100U);
    EXPECT_EQ(other.data()[99], std::byte{7});
    struct stat found {};
    ASSERT_EQ(::stat((folder_ / "one").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0600U);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SegmentTest, ANameIsTakenOnce) {
  auto first = Segment::create(folder_, 1);
  auto second = Segment::create(folder_, 2);
  first.publish(folder_ / "name");
  EXPECT_THROW(second.publish(folder_ / "name"), SetupError);
  EXPECT_FALSE(second.publish_for_good(folder_ / "name"));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(Segment::open(folder_ / "name").size(), 1U);
}

TEST_F(SegmentTest, ReservingKeepsWhatIsThere) {
  auto segment = Segment::create(folder_, 1 << 20);
  segment.data()[0] = std::byte{1};
  segment.data()[5000] = std::byte{2};
  EXPECT_TRUE(segment.reserve(0, 10000));
  EXPECT_EQ(segment.data()[0], std::byte{1});
  EXPECT_EQ(segment.data()[5000], std::byte{2});
  EXPECT_TRUE(segment.reserve(1 << 20, 0));
}

TEST_F(SegmentTest, WhatIsNotItsUsersOwnFileIsRefused) {
  EXPECT_THROW(Segment::open(folder_ / "none"), SetupError);
  EXPECT_THROW(Segment::open(folder_), SetupError);
  std::ofstream(folder_ / "empty").close();
  ::chmod((folder_ / "empty").c_str(), 0600);
  EXPECT_THROW(Segment::open(folder_ / "empty"), SetupError);
  std::ofstream(folder_ / "open") << "text";
  ::chmod((folder_ / "open").c_str(), 0622);
  EXPECT_THROW(Segment::open(folder_ / "open"), SetupError);
  ::chmod((folder_ / "open").c_str(), 0600);
  EXPECT_NO_THROW(Segment::open(folder_ / "open"));
  std::filesystem::create_symlink(folder_ / "open", folder_ / "link");
  EXPECT_THROW(Segment::open(folder_ / "link"), SetupError);
}

TEST_F(SegmentTest, AChildOfAForkDoesNotHaveItAndLeavesItAlone) {
  auto segment = Segment::create(folder_, 100);
  segment.publish(folder_ / "one");
  const pid_t child = ::fork();
  if (child == 0) {
    const bool mapped = segment.is_mapped_here();
    { const auto gone = std::move(segment); }
    ::_exit(mapped ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "one"));
  EXPECT_TRUE(segment.is_mapped_here());
}

}  // namespace
}  // namespace takt
