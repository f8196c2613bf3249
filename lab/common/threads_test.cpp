// SPDX-License-Identifier: Apache-2.0
#include "lab/common/threads.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <system_error>

#include "lab/common/shortage.hpp"

namespace takt::lab {
namespace {

TEST(SideThreadTest, WhatItThrowsIsThrownAtTheJoin) {
  bool told = false;
  SideThread thread(
      "test", [] { throw std::runtime_error("no"); }, [&] { told = true; });
  EXPECT_THROW(thread.join(), std::runtime_error);
  EXPECT_TRUE(told);
}

TEST(SideThreadTest, IsWaitedForWithoutAJoin) {
  bool ran = false;
  {
    const SideThread thread(
        "test", [&] { ran = true; }, [] {});
  }
  EXPECT_TRUE(ran);
}

TEST(SideThreadTest, RunInThreadThrowsHere) {
  EXPECT_THROW(run_in_thread("test", [] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST(ShortageTest, TheLimitIsInTheFix) {
  EXPECT_NE(fix_of_shortage(EMFILE).find("ulimit -n"), std::string::npos);
  EXPECT_NE(fix_of_shortage(EAGAIN).find("ulimit -u"), std::string::npos);
  EXPECT_EQ(fix_of_shortage(EACCES), "");
}

TEST(ShortageTest, AThreadThatCouldNotStartIsNamed) {
  const std::system_error error(std::make_error_code(std::errc::resource_unavailable_try_again));
  EXPECT_TRUE(words_of(error).starts_with("a thread could not be started: ")) << words_of(error);
  EXPECT_EQ(words_of(std::runtime_error("plain")), "plain");
}

}  // namespace
}  // namespace takt::lab
