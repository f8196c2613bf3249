// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "takt/core/error.hpp"
#include "takt/core/testing/no_allocation.hpp"
#include "takt/transport/shm/data_test_support.hpp"
#include "takt/transport/shm/sweep.hpp"

namespace takt::shm {
namespace {

using ::testing::ElementsAre;
using WriterReaderTest = ShmDataTest;

TEST_F(WriterReaderTest, AMessageArrivesWithAllThatBelongsToIt) {
  const auto writer = self_.writer(self_.writer_options(4, 1000));
  const auto reader = self_.reader(*writer, self_.reader_options(4));
  EXPECT_FALSE(reader->ready());
  EXPECT_FALSE(reader->take());
  auto filling = writer->begin(3);
  ASSERT_TRUE(filling);
  ASSERT_EQ(filling.bytes().size(), 3U);
  std::memcpy(filling.bytes().data(), "abc", 3);
  EXPECT_FALSE(reader->ready()) << "seen before commit";
  const MessageHeader sent{SteadyTime{Duration{11}}, 22, SteadyTime{Duration{33}}, 44};
  const auto result = writer->commit(std::move(filling), sent);
  EXPECT_EQ(result.refusal, Refusal::none);
  EXPECT_EQ(result.sequence, 1U);
  EXPECT_EQ(result.delivered, 1U);
  EXPECT_FALSE(result.displaced);
  EXPECT_TRUE(reader->ready());
  const auto view = reader->take();
  ASSERT_TRUE(view);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(view->bytes().data()), view->bytes().size()), "abc");
  EXPECT_EQ(view->sequence(), 1U);
  EXPECT_EQ(view->header().published, sent.published);
  EXPECT_EQ(view->header().origin, 22U);
  EXPECT_EQ(view->header().origin_time, sent.origin_time);
  EXPECT_EQ(view->header().publisher, 44U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view->bytes().data()) % 64, 0U);
  EXPECT_FALSE(reader->take());
}

TEST_F(WriterReaderTest, TheNewestMessageIsKnownWhetherItWasTakenOrNot) {
  const auto writer = self_.writer(self_.writer_options(2, 10));
  const auto reader = self_.reader(*writer, self_.reader_options(1));
  EXPECT_FALSE(reader->newest());
  for (int at = 1; at <= 5; ++at) {
    writer->commit(writer->begin(1), {.published = SteadyTime{Duration{at}}});
    EXPECT_EQ(reader->newest(), SteadyTime{Duration{at}});
  }
  while (reader->take()) {
  }
  EXPECT_EQ(reader->newest(), SteadyTime{Duration{5}});
}

TEST_F(WriterReaderTest, EverySizeFromNothingToTheMaximumArrives) {
  for (const std::size_t max : {0UL, 1UL, 64UL, 4096UL, 100000UL}) {
    const auto writer = self_.writer(self_.writer_options(2, max));
    const auto reader = self_.reader(*writer, self_.reader_options(2));
    for (const std::size_t size : {0UL, 1UL, 63UL, 64UL, 65UL, 4095UL, 4096UL, 65536UL, 65537UL, 100000UL}) {
      auto filling = writer->begin_growing(size);
      EXPECT_EQ(static_cast<bool>(filling), size <= max) << size << " of " << max;
      if (size > max) continue;
      EXPECT_EQ(writer->commit(std::move(filling), {}).refusal, Refusal::none);
      const auto view = reader->take();
      ASSERT_TRUE(view);
      EXPECT_EQ(view->bytes().size(), size);
    }
  }
}

TEST_F(WriterReaderTest, TheLargestMessageArrives) {
  constexpr std::size_t size = 64U << 20U;
  auto options = self_.writer_options(1, size);
  const auto writer = self_.writer(options);
  const auto reader = self_.reader(*writer, self_.reader_options(1));
  EXPECT_EQ(writer->begin(size).refusal(), Refusal::not_reserved);
  EXPECT_EQ(writer->counters().largest_wanted, size);
  auto filling = writer->begin_growing(size);
  ASSERT_TRUE(filling);
  filling.bytes().back() = std::byte{9};
  writer->commit(std::move(filling), {});
  const auto view = reader->take();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->bytes().back(), std::byte{9});
  EXPECT_EQ(refused(*writer, Refusal::not_reserved), 0U) << "the second try succeeded";
  EXPECT_EQ(writer->commit(writer->begin(size + 1), {}).refusal, Refusal::too_large);
  EXPECT_EQ(refused(*writer, Refusal::too_large), 1U);
  options.max_size = size + 1;
  EXPECT_THROW(self_.writer(options), SetupError);
}

TEST_F(WriterReaderTest, AGrownSlotServesLargeMessagesWithoutTheKernel) {
  const auto writer = self_.writer(self_.writer_options(2, 1 << 20));
  EXPECT_EQ(writer->begin(1 << 20).refusal(), Refusal::not_reserved);
  { const auto grown = writer->begin_growing(1 << 20); }  // not committed: given back
  EXPECT_TRUE(writer->begin(1 << 20));
  EXPECT_TRUE(writer->reserve(1 << 20));
  const auto a = writer->begin(1 << 20);
  const auto b = writer->begin(1 << 20);
  EXPECT_TRUE(a && b);
}

TEST_F(WriterReaderTest, AFillingThatIsNotCommittedIsNeverSeen) {
  const auto writer = self_.writer(self_.writer_options(2, 8));
  const auto reader = self_.reader(*writer, self_.reader_options(2));
  const auto free = writer->counters().slots_free;
  {
    const auto filling = writer->begin(8);
    EXPECT_EQ(writer->counters().slots_free, free - 1);
  }
  EXPECT_EQ(writer->counters().slots_free, free);
  publish(*writer, 8, 1);
  EXPECT_THAT(take_sequences(*reader), ElementsAre(1));
}

TEST_F(WriterReaderTest, AFillingCanShrink) {
  const auto writer = self_.writer(self_.writer_options(2, 100));
  const auto reader = self_.reader(*writer, self_.reader_options(2));
  auto filling = writer->begin(100);
  filling.shrink(7);
  writer->commit(std::move(filling), {});
  EXPECT_EQ(reader->take()->bytes().size(), 7U);
}

TEST_F(WriterReaderTest, KeepLastKeepsTheNewestAndCountsWhatWasLost) {
  const auto writer = self_.writer(self_.writer_options(3, 16));
  const auto reader = self_.reader(*writer, self_.reader_options(3));
  for (std::uint64_t i = 1; i <= 10; ++i) EXPECT_EQ(publish(*writer, 16, i).displaced, i > 3);
  EXPECT_THAT(take_sequences(*reader), ElementsAre(8, 9, 10));
  EXPECT_EQ(reader->counters().lost, 7U);
  EXPECT_EQ(reader->counters().taken, 3U);
  EXPECT_EQ(writer->counters().lost, 7U) << "the writer sees the same";
  EXPECT_EQ(writer->counters().taken, 3U);
  EXPECT_EQ(writer->counters().committed, 10U);
}

TEST_F(WriterReaderTest, AReadersOwnDepthIsKept) {
  const auto writer = self_.writer(self_.writer_options(5, 16));
  const auto reader = self_.reader(*writer, self_.reader_options(2));
  for (std::uint64_t i = 1; i <= 4; ++i) publish(*writer, 16, i);
  EXPECT_THAT(take_sequences(*reader), ElementsAre(3, 4));
  EXPECT_EQ(reader->counters().lost, 2U);
}

TEST_F(WriterReaderTest, AHeldMessageStaysWhileTheWriterGoesOn) {
  const auto writer = self_.writer(self_.writer_options(2, 64));
  const auto reader = self_.reader(*writer, self_.reader_options(2));
  publish(*writer, 64, 1);
  auto held = reader->take();
  ASSERT_TRUE(held);
  for (std::uint64_t i = 2; i <= 100; ++i) EXPECT_EQ(publish(*writer, 64, i).refusal, Refusal::none);
  EXPECT_TRUE(is_intact(*held));
  EXPECT_EQ(held->header().publisher, 1U);
  EXPECT_EQ(writer->counters().slots_held, 1U);
  held.reset();
  publish(*writer, 64, 101);
  EXPECT_EQ(writer->counters().slots_held, 0U);
  EXPECT_EQ(writer->counters().slots_free, 16U);
}

TEST_F(WriterReaderTest, WhenReadersHoldEverySpareSlotAMessageIsRefused) {
  auto options = self_.writer_options(1, 8);
  options.spare = 2;
  const auto writer = self_.writer(options);
  const auto reader = self_.reader(*writer, self_.reader_options(1));
  std::vector<Reader::View> held;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(publish(*writer, 8, i).refusal, Refusal::none);
    held.push_back(*reader->take());
  }
  EXPECT_EQ(publish(*writer, 8, 4).refusal, Refusal::no_slot);
  EXPECT_EQ(refused(*writer, Refusal::no_slot), 1U);
  held.erase(held.begin());
  EXPECT_EQ(publish(*writer, 8, 5).refusal, Refusal::none);
  for (const auto& view : held) EXPECT_TRUE(is_intact(view));
}

TEST_F(WriterReaderTest, KeepAllRefusesRatherThanLose) {
  auto options = self_.writer_options(3, 8);
  options.history = History::keep_all;
  const auto writer = self_.writer(options);
  for (std::uint64_t i = 1; i <= 5; ++i)
    EXPECT_EQ(publish(*writer, 8, i).refusal, Refusal::none) << "nobody reads";
  const auto reader = self_.reader(*writer, self_.reader_options(3));
  for (std::uint64_t i = 6; i <= 8; ++i) EXPECT_EQ(publish(*writer, 8, i).refusal, Refusal::none);
  EXPECT_EQ(publish(*writer, 8, 9).refusal, Refusal::full);
  EXPECT_EQ(refused(*writer, Refusal::full), 1U);
  EXPECT_EQ(reader->take()->sequence(), 6U);
  EXPECT_EQ(publish(*writer, 8, 10).refusal, Refusal::none);
  EXPECT_THAT(take_sequences(*reader), ElementsAre(7, 8, 9));
  EXPECT_EQ(reader->counters().lost, 0U);
}

TEST_F(WriterReaderTest, AReaderThatLeavesDoesNotHoldUpAKeepAllWriter) {
  auto options = self_.writer_options(1, 8);
  options.history = History::keep_all;
  const auto writer = self_.writer(options);
  auto reader = self_.reader(*writer, self_.reader_options(1));
  publish(*writer, 8, 1);
  auto view = reader->take();
  publish(*writer, 8, 2);
  EXPECT_EQ(publish(*writer, 8, 3).refusal, Refusal::full);
  reader.reset();
  EXPECT_EQ(publish(*writer, 8, 4).refusal, Refusal::none) << "though a view of it is left";
  EXPECT_TRUE(is_intact(*view));
  EXPECT_EQ(writer->counters().readers, 1U);
  view.reset();
  EXPECT_EQ(writer->counters().readers, 0U);
}

TEST_F(WriterReaderTest, AVolatileReaderBeginsWithTheNext) {
  auto options = self_.writer_options(5, 8);
  options.retained = 5;
  const auto writer = self_.writer(options);
  for (std::uint64_t i = 1; i <= 3; ++i) publish(*writer, 8, i);
  const auto reader = self_.reader(*writer, self_.reader_options(5));
  publish(*writer, 8, 4);
  EXPECT_THAT(take_sequences(*reader), ElementsAre(4));
}

TEST_F(WriterReaderTest, ATransientLocalReaderBeginsWithWhatIsRetained) {
  auto options = self_.writer_options(5, 8);
  options.retained = 3;
  const auto writer = self_.writer(options);
  const auto first_of = [&](std::uint32_t depth) {
    auto reading = self_.reader_options(depth);
    reading.transient_local = true;
    const auto reader = self_.reader(*writer, reading);
    const auto sequences = take_sequences(*reader);
    EXPECT_EQ(reader->counters().lost, 0U);
    return sequences.empty() ? 0 : sequences.front();
  };
  EXPECT_EQ(first_of(5), 0U);
  publish(*writer, 8, 1);
  EXPECT_EQ(first_of(5), 1U);
  for (std::uint64_t i = 2; i <= 12; ++i) publish(*writer, 8, i);
  EXPECT_EQ(first_of(5), 10U) << "the writer retains three";
  EXPECT_EQ(first_of(2), 11U) << "the reader wants two";
}

TEST_F(WriterReaderTest, EachReaderReadsForItself) {
  const auto writer = self_.writer(self_.writer_options(4, 8));
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 64; ++i) readers.push_back(self_.reader(*writer, self_.reader_options(4)));
  EXPECT_EQ(publish(*writer, 8, 1).delivered, 64U);
  std::vector<Reader::View> held;
  for (auto& reader : readers) held.push_back(*reader->take());
  for (int i = 0; i < 10; ++i) publish(*writer, 8, 2);
  for (const auto& view : held) EXPECT_EQ(view.header().publisher, 1U);
  EXPECT_EQ(writer->counters().slots_held, 1U);
  EXPECT_THROW(self_.reader(*writer, self_.reader_options(4)), SetupError) << "all rows are taken";
  readers.pop_back();
  held.pop_back();
  EXPECT_NO_THROW(self_.reader(*writer, self_.reader_options(4)));
}

TEST_F(WriterReaderTest, MessagesOfAWriterThatIsGoneCanStillBeTaken) {
  auto writer = self_.writer(self_.writer_options(4, 8));
  const auto path = writer->path();
  const auto reader = self_.reader(*writer, self_.reader_options(4));
  publish(*writer, 8, 1);
  publish(*writer, 8, 2);
  writer.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THAT(take_sequences(*reader), ElementsAre(1, 2));
}

TEST_F(WriterReaderTest, PublishingAndTakingAllocateNothing) {
  const auto writer = self_.writer(self_.writer_options(4, 4096));
  const auto reader = self_.reader(*writer, self_.reader_options(4));
  const testing::NoAllocation promise;
  for (std::uint64_t i = 0; i < 100; ++i) {
    publish(*writer, 4096, i);
    auto view = reader->take();
    auto other = std::move(view);
    publish(*writer, 5000, i);
    other.reset();
  }
}

TEST_F(WriterReaderTest, ASegmentTellsWhatItHolds) {
  auto options = self_.writer_options(4, 77);
  options.publisher = 5;
  const auto writer = self_.writer(options);
  const auto info = read_info(writer->path());
  EXPECT_EQ(info.type_name, "std_msgs/msg/Test");
  EXPECT_EQ(info.topic, "/test");
  EXPECT_EQ(info.lease, self_.id);
  EXPECT_EQ(info.publisher, 5U);
  EXPECT_EQ(info.max_size, 77U);
}

TEST_F(WriterReaderTest, AnotherTypeIsRefusedByName) {
  const auto writer = self_.writer(self_.writer_options(1, 8));
  auto options = self_.reader_options(1);
  options.type_hash[0] = std::byte{1};
  try {
    self_.reader(*writer, options);
    FAIL();
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("another type: std_msgs/msg/Test"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("topic /test"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr(writer->path().filename().string()));
  }
}

TEST_F(WriterReaderTest, WhatCannotBeIsRefusedAtTheStart) {
  const auto refuses = [&](auto change) {
    auto options = self_.writer_options(1, 8);
    change(options);
    EXPECT_THROW(self_.writer(options), SetupError);
  };
  refuses([](auto& o) { o.depth = 0; });
  refuses([](auto& o) { o.depth = 40000; });
  refuses([](auto& o) { o.spare = 0; });
  refuses([](auto& o) { o.readers = 0; });
  refuses([](auto& o) { o.readers = 1025; });
  refuses([](auto& o) { o.topic = std::string(256, 'x'); });
  EXPECT_THAT(self_.domain.path(),
              ::testing::ResultOf(
                  [](const auto& p) { return std::distance(std::filesystem::directory_iterator(p), {}); }, 2))
      << "only the lease and the bells";
}

TEST_F(WriterReaderTest, SweepingLeavesTheLivingAlone) {
  const auto writer = self_.writer(self_.writer_options(1, 8));
  const auto swept = sweep(self_.domain);
  EXPECT_EQ(swept.segments, 0U);
  EXPECT_EQ(swept.leases, 0U);
  EXPECT_TRUE(std::filesystem::exists(writer->path()));
}

}  // namespace
}  // namespace takt::shm
