// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "takt/transport/shm/data_test_support.hpp"

namespace takt::shm {
namespace {

using WriterReaderConcurrent = ShmDataTest;

constexpr std::uint64_t kMessages = 4000;

/// Takes until the writers are done and nothing is left: each message intact, sequences ascending, and what
/// is missing in between counted.
void read_all(Reader& reader, const std::atomic<bool>& done) {
  std::uint64_t last = 0;
  std::uint64_t taken = 0;
  const auto take = [&] {
    const auto view = reader.take();
    if (!view) return false;
    EXPECT_TRUE(is_intact(*view));
    EXPECT_GT(view->sequence(), last);
    last = view->sequence();
    ++taken;
    return true;
  };
  while (!done.load()) {
    if (!take()) std::this_thread::yield();
  }
  while (take()) {
  }
  const auto counters = reader.counters();
  EXPECT_EQ(counters.taken, taken);
  EXPECT_EQ(counters.corrupt, 0U);
  EXPECT_EQ(counters.taken + counters.lost, last) << "from the first message on, each was taken or lost";
}

void write_all(Writer& writer, std::uint64_t seed) {
  for (std::uint64_t i = 0; i < kMessages; ++i) publish(writer, (seed * 7 + i) % 200, seed + i);
}

TEST_F(WriterReaderConcurrent, SeveralThreadsWriteAndReadAtOnce) {
  const auto writer = self_.writer(self_.writer_options(3, 200));
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 3; ++i) readers.push_back(TestAccess::attach_to(*writer, self_.reader_options(3)));
  std::atomic<bool> done{false};
  std::vector<std::thread> reading;
  for (auto& reader : readers) reading.emplace_back([&] { read_all(*reader, done); });
  std::thread other([&] { write_all(*writer, 1000); });
  write_all(*writer, 5000);
  other.join();
  done = true;
  for (auto& thread : reading) thread.join();
  EXPECT_EQ(writer->counters().committed, 2 * kMessages);
  for (std::size_t i = 0; i < kRefusals; ++i) EXPECT_EQ(writer->counters().refused[i], 0U);
}

TEST_F(WriterReaderConcurrent, EverySlotComesBack) {
  const auto writer = self_.writer(self_.writer_options(2, 200));
  {
    const auto reader = TestAccess::attach_to(*writer, self_.reader_options(2));
    std::atomic<bool> done{false};
    std::thread reading([&] { read_all(*reader, done); });
    write_all(*writer, 1);
    done = true;
    reading.join();
  }
  auto filling = writer->begin(1);  // looks at those that were held
  const auto counters = writer->counters();
  EXPECT_EQ(counters.slots_held, 0U);
  EXPECT_EQ(counters.slots_free, 2U + 16U - 2U - 1U);
  EXPECT_EQ(counters.readers, 0U);
}

TEST_F(WriterReaderConcurrent, ViewsAreReleasedByOtherThreads) {
  const auto writer = self_.writer(self_.writer_options(2, 200));
  const auto reader = TestAccess::attach_to(*writer, self_.reader_options(2));
  std::atomic<bool> done{false};
  std::thread reading([&] {
    std::optional<Reader::View> kept;
    while (!done.load()) {
      auto view = reader->take();
      if (!view) continue;
      std::thread([taken = std::move(*view)]() mutable {
        const auto released = std::move(taken);
        EXPECT_TRUE(is_intact(released));
      }).join();
    }
  });
  for (std::uint64_t i = 0; i < kMessages; ++i) publish(*writer, 200, i);
  done = true;
  reading.join();
}

TEST_F(WriterReaderConcurrent, KeepAllLosesNothing) {
  auto options = self_.writer_options(4, 200);
  options.history = History::keep_all;
  const auto writer = self_.writer(options);
  const auto reader = TestAccess::attach_to(*writer, self_.reader_options(4));
  std::thread writing([&] {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      while (publish(*writer, i % 200, i).refusal == Refusal::full) std::this_thread::yield();
    }
  });
  for (std::uint64_t expected = 1; expected <= kMessages;) {
    const auto view = reader->take();
    if (!view) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(view->sequence(), expected);
    EXPECT_TRUE(is_intact(*view));
    ++expected;
  }
  writing.join();
  EXPECT_EQ(reader->counters().lost, 0U);
}

TEST_F(WriterReaderConcurrent, ReadersComeAndGo) {
  const auto writer = self_.writer(self_.writer_options(3, 200));
  std::atomic<bool> done{false};
  std::vector<std::thread> reading;
  for (int i = 0; i < 2; ++i) {
    reading.emplace_back([&] {
      while (!done.load()) {
        const auto reader = TestAccess::attach_to(*writer, self_.reader_options(3));
        const auto held = reader->take();
        for (int k = 0; k < 5; ++k) {
          const auto view = reader->take();
          EXPECT_TRUE(!view || is_intact(*view));
        }
        EXPECT_TRUE(!held || is_intact(*held));
      }
    });
  }
  write_all(*writer, 3);
  done = true;
  for (auto& thread : reading) thread.join();
  EXPECT_EQ(writer->counters().readers, 0U);
}

TEST_F(WriterReaderConcurrent, ALateTransientLocalReaderHasNoGapAndNoDuplicate) {
  auto options = self_.writer_options(64, 8);
  options.retained = 64;
  const auto writer = self_.writer(options);
  std::atomic<bool> done{false};
  std::thread writing([&] {
    for (std::uint64_t i = 0; !done.load(); ++i) {
      publish(*writer, 8, i);
      if (i % 16 == 0) std::this_thread::yield();
    }
  });
  auto reading = self_.reader_options(64);
  reading.transient_local = true;
  for (int round = 0; round < 300; ++round) {
    const auto reader = TestAccess::attach_to(*writer, reading);
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    for (int k = 0; k < 100; ++k) {
      const auto view = reader->take();
      if (!view) continue;
      if (first == 0) first = view->sequence() - reader->counters().lost;
      EXPECT_GT(view->sequence(), last);
      last = view->sequence();
    }
    const auto counters = reader->counters();
    if (first != 0) {
      EXPECT_EQ(last - first + 1, counters.taken + counters.lost);
    }
  }
  done = true;
  writing.join();
}

TEST_F(WriterReaderConcurrent, WhatIsSentOnceAReaderIsCountedReachesIt) {
  const auto writer = self_.writer(self_.writer_options(4, 8));
  for (int round = 0; round < 1000; ++round) {
    std::atomic<bool> go{false};
    CommitResult first;
    std::thread writing([&] {
      auto filling = writer->begin(8);
      go = true;
      for (int looks = 0; !writer->watched();) {
        if (++looks % 1000 == 0) std::this_thread::yield();
      }
      first = writer->commit(std::move(filling), {});
    });
    while (!go.load()) std::this_thread::yield();
    const auto reader = TestAccess::attach_to(*writer, self_.reader_options(4));
    writing.join();
    const auto view = reader->take();
    ASSERT_EQ(first.delivered, 1U);
    ASSERT_TRUE(view) << "counted as delivered, neither taken nor lost: round " << round;
    EXPECT_EQ(view->sequence(), first.sequence);
  }
}

TEST_F(WriterReaderConcurrent, NoWakeIsLost) {
  const auto writer = self_.writer(self_.writer_options(2, 8));
  const auto reader = TestAccess::attach_to(*writer, self_.reader_options(2));
  std::atomic<std::uint64_t> arrived{0};
  std::thread reading([&] {
    for (std::uint64_t taken = 0; taken < kMessages;) {
      const auto seen = self_.bell->value();
      while (const auto view = reader->take()) {
        taken = view->sequence();
        arrived = taken;
      }
      if (taken < kMessages) self_.bell->wait(seen, kNever);
    }
  });
  for (std::uint64_t i = 1; i <= kMessages; ++i) {
    publish(*writer, 8, i);
    while (arrived.load() < i) std::this_thread::yield();  // one at a time: each needs its own wake
  }
  reading.join();
}

}  // namespace
}  // namespace takt::shm
