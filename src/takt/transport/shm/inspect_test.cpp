// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/inspect.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "takt/core/error.hpp"
#include "takt/transport/shm/data_test_support.hpp"
#include "takt/transport/shm/process_test_support.hpp"

namespace takt::shm {
namespace {

using InspectTest = ShmDataTest;

TEST_F(InspectTest, OfAFreshSegmentAllCountersAreZero) {
  const auto writer = self_.writer(self_.writer_options(4, 100));
  const auto status = inspect_segment(writer->path());
  EXPECT_EQ(status.info.topic, "/test");
  EXPECT_EQ(status.info.lease, self_.id);
  EXPECT_EQ(status.type_hash, self_.writer_options(4, 100).type_hash);
  EXPECT_EQ(status.depth, 4U);
  EXPECT_EQ(status.sent, 0U);
  EXPECT_EQ(status.overwritten, 0U);
  EXPECT_EQ(status.slots_in_use, 0U);
  EXPECT_TRUE(status.readers.empty());
  EXPECT_GT(status.memory, 0U);
}

TEST_F(InspectTest, SentTakenLostAndWaitingAreTold) {
  const auto writer = self_.writer(self_.writer_options(4, 100));
  const auto options = self_.reader_options(4);
  const auto reader = self_.reader(*writer, options);
  for (std::uint64_t i = 0; i < 7; ++i) publish(*writer, 10, i);
  const auto held = reader->take();  // three were overwritten
  ASSERT_TRUE(held);
  const auto status = inspect_segment(writer->path());
  EXPECT_EQ(status.sent, 7U);
  EXPECT_EQ(status.overwritten, 3U);
  EXPECT_EQ(status.taken, 1U);
  EXPECT_EQ(status.lost, 3U);
  EXPECT_EQ(status.slots_in_use, 4U);
  EXPECT_EQ(status.slots_held, 1U);
  ASSERT_EQ(status.readers.size(), 1U);
  EXPECT_EQ(status.readers[0].lease, self_.id);
  EXPECT_EQ(status.readers[0].waiting, 3U);
}

TEST_F(InspectTest, ReadersThatHaveLeftStayCounted) {
  const auto writer = self_.writer(self_.writer_options(4, 100));
  {
    const auto reader = self_.reader(*writer, self_.reader_options(4));
    publish(*writer, 10, 1);
    EXPECT_TRUE(reader->take());
  }
  const auto status = inspect_segment(writer->path());
  EXPECT_TRUE(status.readers.empty());
  EXPECT_EQ(status.taken, 1U);
}

TEST_F(InspectTest, WhatIsNoSegmentIsRefusedByName) {
  const auto path = self_.domain.path() / Domain::random_name("segment");
  std::ofstream(path) << "not a segment";
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_THROW(inspect_segment(path), SetupError);
}

TEST_F(InspectTest, BellsInUseAreCountedWithoutTakingOne) {
  EXPECT_EQ(bells_in_use(self_.domain), 1U);
  EXPECT_EQ(bells_in_use(self_.domain), 1U);
  const TestBase other;
  const auto empty = Domain::open(other.path(), 0);
  EXPECT_EQ(bells_in_use(empty), std::nullopt);
  EXPECT_EQ(files_in(empty.path()), 0);
}

}  // namespace
}  // namespace takt::shm
