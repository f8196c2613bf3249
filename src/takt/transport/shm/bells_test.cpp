// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/bells.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/data_test_support.hpp"

namespace takt::shm {
namespace {

using BellsTest = ShmDataTest;

TEST_F(BellsTest, ABellThatHasMovedEndsTheWaitAtOnce) {
  const auto seen = self_.bell->value();
  self_.bells->ring(self_.bell->index());
  EXPECT_NE(self_.bell->value(), seen);
  EXPECT_EQ(self_.bell->wait(seen, kNever), WaitResult::woken);
}

TEST_F(BellsTest, AWaitEndsAtItsDeadline) {
  EXPECT_EQ(self_.bell->wait(self_.bell->value(), SteadyTime{Duration{1}}), WaitResult::timed_out);
}

TEST_F(BellsTest, EachExecutorHasItsOwn) {
  const auto other = self_.bells->claim(5);
  EXPECT_NE(other->index(), self_.bell->index());
  const auto seen = other->value();
  self_.bells->ring(self_.bell->index());
  EXPECT_EQ(other->value(), seen);
  EXPECT_EQ(self_.bells->in_use(), 2U);
}

TEST_F(BellsTest, ANumberThatIsNoBellIsIgnored) {
  self_.bells->ring(Bells::kRows);
  self_.bells->ring(~0U);
  Bells::Round round(*self_.bells);
  round.move(~0U);
  round.wake();
}

TEST_F(BellsTest, AllBellsCanBeUsedAndNoMore) {
  std::vector<std::unique_ptr<Bells::Bell>> all;
  for (std::uint32_t i = 1; i < Bells::kRows; ++i) all.push_back(self_.bells->claim(0));
  EXPECT_THROW(self_.bells->claim(0), SetupError);
  all.pop_back();
  EXPECT_NO_THROW(self_.bells->claim(0));
}

TEST_F(BellsTest, AFileThatIsNotTheDomainsIsRefused) {
  std::filesystem::resize_file(self_.domain.path() / "bells-1", 100);
  EXPECT_THROW(Bells::open(self_.domain, self_.id), SetupError);
  std::filesystem::remove(self_.domain.path() / "bells-1");
  std::ofstream(self_.domain.path() / "bells-1") << "x";
  std::filesystem::permissions(self_.domain.path() / "bells-1", std::filesystem::perms(0600));
  EXPECT_THROW(Bells::open(self_.domain, self_.id), SetupError);
}

}  // namespace
}  // namespace takt::shm
