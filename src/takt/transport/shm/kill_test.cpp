// SPDX-License-Identifier: Apache-2.0
// Processes that are killed at random points under traffic: the others go on, and nothing is left behind.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>

#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/data_test_support.hpp"
#include "takt/transport/shm/process_test_support.hpp"
#include "takt/transport/shm/sweep.hpp"

namespace takt::shm {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kDepth = 4;
constexpr std::size_t kLargest = 3000;

SteadyTime now() { return SteadyClock::instance()->steady_now(); }

std::size_t own_mappings_of(const std::string& text) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(text) != std::string::npos ? 1U : 0U;
  return count;
}

/// Reads until told to stop; returns 0 when every message was intact. Board: [taken] [stop].
int read_until_told(const std::string& base, const std::filesystem::path& segment, const Board& board,
                    std::size_t taken, std::size_t stop) {
  const TestMember member(base);
  const auto reader = Reader::attach(member.domain, segment, member.reader_options(kDepth));
  board[taken] = 1;
  std::uint64_t last = 0;
  while (board[stop].load() == 0) {
    const auto seen = member.bell->value();
    while (const auto view = reader->take()) {
      if (!is_intact(*view) || view->sequence() <= last) return 1;
      last = view->sequence();
      ++board[taken];
    }
    member.bell->wait(seen, now() + 50ms);
  }
  return reader->counters().corrupt == 0 ? 0 : 2;
}

class ShmKillTest : public ShmDataTest {
 protected:
  /// Publishes for up to 3 ms.
  void publish_for_a_while(Writer& writer) {
    const auto end = now() + std::chrono::microseconds{random_() % 3000};
    while (now() < end) {
      ASSERT_EQ(publish(writer, random_() % kLargest, ++seed_).refusal, Refusal::none);
    }
  }

  std::minstd_rand random_{2026};
  std::uint64_t seed_ = 0;
  Board board_;
};

TEST_F(ShmKillTest, ReadersAreKilledAndTheRestGoesOn) {
  auto options = self_.writer_options(kDepth, kLargest);
  options.spare = 4;  // so few that every hold that leaks is felt
  const auto writer = self_.writer(options);
  Child survivor([&] { return read_until_told(base_.path(), writer->path(), board_, 0, 1); });
  ASSERT_TRUE(board_.reaches(0, 1));
  const auto descriptors = open_descriptors();
  const int kills = repetitions(40, 500);
  for (int i = 0; i < kills; ++i) {
    board_[2] = 0;
    Child victim([&] { return read_until_told(base_.path(), writer->path(), board_, 2, 3); });
    ASSERT_TRUE(board_.reaches(2, 1));
    publish_for_a_while(*writer);
    victim.kill();
    publish_for_a_while(*writer);
    EXPECT_EQ(writer->reclaim(), 1U) << "the victim's row, kill " << i;
    EXPECT_EQ(self_.bells->reclaim(), 1U);
    EXPECT_EQ(sweep(self_.domain).leases, 1U);
    EXPECT_EQ(writer->counters().readers, 1U);
  }
  board_[1] = 1;
  EXPECT_EQ(survivor.wait(), 0) << "the survivor read a damaged message";
  EXPECT_GT(board_[0].load(), 1U);
  { const auto looks_at_the_held = writer->begin(1); }
  const auto counters = writer->counters();
  EXPECT_EQ(counters.slots_held, 0U);
  EXPECT_EQ(counters.slots_free, options.spare) << "all but those in the ring";
  EXPECT_EQ(counters.readers, 0U);
  EXPECT_EQ(self_.bells->in_use(), 1U);
  EXPECT_EQ(files_in(self_.domain.path()), 3) << "bells, lease and segment of this process";
  EXPECT_EQ(open_descriptors(), descriptors);
  for (std::uint32_t slot = 0; slot < kDepth + options.spare; ++slot) {
    EXPECT_FALSE(TestAccess::access(*writer).is_held(slot)) << slot;
  }
}

/// Publishes until it is killed. Board: [0] counts the messages, [1] is the segment's id.
int publish_for_ever(const std::string& base, const Board& board) {
  const TestMember member(base);
  const auto writer = member.writer(member.writer_options(kDepth, kLargest));
  board[1] = Domain::id_of("segment", writer->path().filename().string());
  for (std::uint64_t i = 1;; ++i) {
    publish(*writer, i * 37 % kLargest, i);
    board[0] = i;
  }
}

TEST_F(ShmKillTest, WritersAreKilledAndWhatTheyCommittedStaysReadable) {
  const auto files = files_in(self_.domain.path());
  const auto descriptors = open_descriptors();
  const auto mappings = own_mappings_of(self_.domain.path());
  const int kills = repetitions(40, 500);
  std::uint64_t taken = 0;
  for (int i = 0; i < kills; ++i) {
    board_[0] = 0;
    Child victim([&] { return publish_for_ever(base_.path(), board_); });
    ASSERT_TRUE(board_.reaches(0, 1));
    const auto segment = self_.domain.path() / Domain::name_of("segment", board_[1].load());
    const auto reader = self_.reader_of(segment, self_.reader_options(kDepth));
    const auto take_all = [&] {
      while (const auto view = reader->take()) {
        ++taken;
        ASSERT_TRUE(is_intact(*view)) << "kill " << i;
      }
    };
    for (const auto end = now() + std::chrono::microseconds{random_() % 3000}; now() < end;) take_all();
    victim.kill();
    take_all();
    const auto committed_at_least = board_[0].load();
    const auto counters = reader->counters();
    EXPECT_EQ(counters.corrupt, 0U);
    EXPECT_LE(counters.taken + counters.lost, committed_at_least + 1);
    const auto swept = sweep(self_.domain);
    EXPECT_EQ(swept.segments, 1U);
    EXPECT_EQ(swept.leases, 1U);
    EXPECT_EQ(self_.bells->reclaim(), 1U);
    EXPECT_EQ(files_in(self_.domain.path()), files);
  }
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(own_mappings_of(self_.domain.path()), mappings);
}

TEST_F(ShmKillTest, BothEndsAreKilledAndNothingIsLeft) {
  const auto files = files_in(self_.domain.path());
  const auto descriptors = open_descriptors();
  const int kills = repetitions(40, 500);
  for (int i = 0; i < kills; ++i) {
    board_[0] = board_[2] = 0;
    Child writer([&] { return publish_for_ever(base_.path(), board_); });
    ASSERT_TRUE(board_.reaches(0, 1));
    const auto segment = self_.domain.path() / Domain::name_of("segment", board_[1].load());
    Child reader([&] { return read_until_told(base_.path(), segment, board_, 2, 3); });
    ASSERT_TRUE(board_.reaches(2, 2)) << "it has taken nothing";
    std::this_thread::sleep_for(std::chrono::microseconds{random_() % 3000});
    const bool writer_first = random_() % 2 == 0;
    (writer_first ? writer : reader).signal(SIGKILL);
    (writer_first ? reader : writer).kill();
    (writer_first ? writer : reader).kill();
    const auto swept = sweep(self_.domain);
    EXPECT_EQ(swept.segments, 1U) << "kill " << i;
    EXPECT_EQ(swept.leases, 2U);
    EXPECT_EQ(self_.bells->reclaim(), 2U);
    EXPECT_EQ(files_in(self_.domain.path()), files);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(self_.bells->in_use(), 1U);
}

TEST_F(ShmKillTest, AMessageThatWasBeingFilledIsNeverSeen) {
  Child victim([&] {
    const TestMember member(base_.path());
    const auto writer = member.writer(member.writer_options(kDepth, kLargest));
    publish(*writer, 100, 1);
    auto filling = writer->begin(100);
    filling.bytes()[0] = std::byte{99};
    board_[1] = Domain::id_of("segment", writer->path().filename().string());
    board_[0] = 1;
    for (;;) ::pause();
    return 0;
  });
  ASSERT_TRUE(board_.reaches(0, 1));
  auto options = self_.reader_options(kDepth);
  options.transient_local = true;
  const auto reader =
      self_.reader_of(self_.domain.path() / Domain::name_of("segment", board_[1].load()), options);
  victim.kill();
  EXPECT_TRUE(take_sequences(*reader).empty()) << "nothing is retained, nothing was committed since";
  EXPECT_EQ(sweep(self_.domain).segments, 1U);
}

TEST_F(ShmKillTest, AProcessThatIsKilledWhileItStartsLeavesNothing) {
  const int kills = repetitions(60, 500);
  for (int i = 0; i < kills; ++i) {
    Child victim([&] {
      for (;;) {
        const TestMember member(base_.path());
        const auto writer = member.writer(member.writer_options(kDepth, kLargest));
        const auto reader = member.reader(*writer, member.reader_options(kDepth));
      }
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds{random_() % 5000});
    victim.kill();
    sweep(self_.domain);
    self_.bells->reclaim();
    ASSERT_EQ(files_in(self_.domain.path()), 2) << "bells and lease of this process, kill " << i;
    ASSERT_EQ(self_.bells->in_use(), 1U);
  }
}

}  // namespace
}  // namespace takt::shm
