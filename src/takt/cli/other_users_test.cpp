// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/other_users.hpp"

#include <gtest/gtest.h>

#include "takt/cli/known_type.hpp"
#include "takt/core/error.hpp"

namespace takt::cli {
namespace {

TEST(OtherUsers, InboxesOfTheDomainAreCountedByUser) {
  const char* text =
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "0000: 00000002 00000000 00000000 0002 01 24191 /dev/shm/takt-1000/0/inbox-0123456789abcdef\n"
      "0000: 00000002 00000000 00000000 0002 01 24192 /dev/shm/takt-1000/0/inbox-0123456789abcdee\n"
      "0000: 00000002 00000000 00000000 0002 01 24193 /dev/shm/takt-1001/0/inbox-0123456789abcdef\n"
      "0000: 00000002 00000000 00000000 0002 01 24194 /dev/shm/takt-1001/7/inbox-0123456789abcdef\n"
      "0000: 00000002 00000000 00000000 0002 01 24195 /dev/shm/takt-x/0/inbox-0123456789abcdef\n"
      "0000: 00000002 00000000 00000000 0002 01 24196 /dev/shm/takt-1002/0/other-0123456789abcdef\n"
      "0000: 00000002 00000000 00000000 0002 01 24197 /run/bus\n"
      "0000: 00000003 00000000 00000000 0001 03 528\n";
  EXPECT_EQ(inboxes_by_user(text, 0), (std::map<uid_t, std::size_t>{{1000, 2}, {1001, 1}}));
  EXPECT_EQ(inboxes_by_user(text, 7), (std::map<uid_t, std::size_t>{{1001, 1}}));
  EXPECT_TRUE(inboxes_by_user("", 0).empty());
}

TEST(OtherUsers, AreSaidInWords) {
  EXPECT_EQ(in_words({1000, "anna", 2}),
            "2 processes of user anna are not visible: takt shows each user only his own");
  EXPECT_EQ(in_words({1000, "anna", 1}),
            "1 process of user anna is not visible: takt shows each user only his own");
}

TEST(KnownType, HashesAreReadFromTheirText) {
  const auto type = find_type("std_msgs/String", {});
  EXPECT_EQ(shm::to_string(type.hash),
            "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18");
  EXPECT_EQ(shm::type_hash_of("RIHS01_df"), shm::TypeHash{});
  EXPECT_EQ(shm::type_hash_of("RIHS01_" + std::string(64, 'g')), shm::TypeHash{});
  EXPECT_EQ(shm::type_hash_of("RIHS02_" + std::string(64, 'a')), shm::TypeHash{});
}

TEST(KnownType, OneMatchingPublisherIsEnough) {
  const auto type = find_type("std_msgs/String", {});
  shm::Endpoint same{.topic = "/x", .type_name = "std_msgs/msg/String", .type_hash = type.hash};
  auto other = same;
  other.type_hash.fill(std::byte{1});
  EXPECT_NO_THROW(check_definitions(type, std::vector{other, same}));
  EXPECT_NO_THROW(check_definitions(type, {}));
  EXPECT_THROW(check_definitions(type, std::vector{other}), SetupError);
}

}  // namespace
}  // namespace takt::cli
