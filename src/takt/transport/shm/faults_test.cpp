// SPDX-License-Identifier: Apache-2.0
// A stopped reader, forks, a full file system, no descriptor left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cerrno>

#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/data_test_support.hpp"
#include "takt/transport/shm/process_test_support.hpp"
#include "takt/transport/shm/sweep.hpp"

namespace takt::shm {
namespace {

class ShmFaultsTest : public ShmDataTest {
 protected:
  Board board_;
};

TEST_F(ShmFaultsTest, AStoppedReaderHarmsNobodyAndItsLossesAreCounted) {
  const auto writer = self_.writer(self_.writer_options(4, 100));
  Child stopped([&] {
    const TestMember member(base_.path());
    const auto reader = member.reader_of(writer->path(), member.reader_options(4));
    board_[0] = 1;
    while (!reader->ready())
      member.bell->wait(member.bell->value(), SteadyClock::instance()->steady_now() + Duration{1000000});
    auto held = reader->take();
    board_[0] = 2;
    while (board_[1].load() == 0) {
    }
    if (!is_intact(*held)) return 1;
    held.reset();
    const auto rest = take_sequences(*reader);
    board_[2] = reader->counters().taken;
    board_[3] = reader->counters().lost;
    return rest.back() == board_[1].load() ? 0 : 2;
  });
  ASSERT_TRUE(board_.reaches(0, 1));
  const auto other = self_.reader(*writer, self_.reader_options(4));
  publish(*writer, 100, 1);
  ASSERT_TRUE(board_.reaches(0, 2));
  stopped.signal(SIGSTOP);
  EXPECT_EQ(take_sequences(*other).size(), 1U);
  for (std::uint64_t i = 2; i <= 1000; ++i) {
    ASSERT_EQ(publish(*writer, 100, i).refusal, Refusal::none);
    ASSERT_EQ(take_sequences(*other).size(), 1U);
  }
  EXPECT_EQ(writer->counters().slots_held, 1U) << "it pins what it holds and no more";
  EXPECT_EQ(writer->reclaim(), 0U) << "stopped is not dead";
  EXPECT_EQ(other->counters().lost, 0U);
  EXPECT_EQ(writer->counters().lost, 995U) << "seen while it is stopped";
  board_[1] = 1000;
  stopped.signal(SIGCONT);
  EXPECT_EQ(stopped.wait(), 0);
  EXPECT_EQ(board_[2].load(), 5U) << "the held one and the last four";
  EXPECT_EQ(board_[3].load(), 995U);
  EXPECT_EQ(writer->counters().lost, 995U) << "the writer sees it, too, though that reader has left";
}

TEST_F(ShmFaultsTest, AChildOfAForkThatEndsTakesNothingAlong) {
  auto writer = self_.writer(self_.writer_options(4, 100));
  auto reader = self_.reader(*writer, self_.reader_options(4));
  publish(*writer, 100, 1);
  auto view = reader->take();
  Child child([&] {
    view.reset();
    reader.reset();
    writer.reset();
    self_.bell.reset();
    self_.lease.reset();
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_TRUE(Lease::alive(self_.lease->path()));
  EXPECT_TRUE(std::filesystem::exists(writer->path()));
  EXPECT_EQ(self_.bells->in_use(), 1U);
  for (std::uint64_t i = 2; i <= 100; ++i) EXPECT_EQ(publish(*writer, 100, i).delivered, 1U);
  EXPECT_EQ(writer->counters().slots_held, 1U);
  EXPECT_TRUE(is_intact(*view));
}

TEST_F(ShmFaultsTest, AChildOfAForkCanUseTheDomainForItself) {
  const auto writer = self_.writer(self_.writer_options(4, 100));
  Child child([&] {
    const TestMember member(base_.path());
    const auto reader = member.reader_of(writer->path(), member.reader_options(4));
    board_[0] = 1;
    while (!reader->ready())
      member.bell->wait(member.bell->value(), SteadyClock::instance()->steady_now() + Duration{1000000});
    return static_cast<int>(reader->take()->sequence());
  });
  ASSERT_TRUE(board_.reaches(0, 1));
  publish(*writer, 100, 1);
  EXPECT_EQ(child.wait(), 1);
}

TEST_F(ShmFaultsTest, WhatAForksParentLeftIsSweptThoughTheChildLives) {
  Child parent([&] {
    const TestMember member(base_.path());
    const auto writer = member.writer(member.writer_options(4, 100));
    if (::fork() == 0) {
      board_[1] = static_cast<std::uint64_t>(::getpid());
      for (;;) ::pause();
    }
    board_[0] = 1;
    for (;;) ::pause();
    return 0;
  });
  ASSERT_TRUE(board_.reaches(0, 1) && board_.reaches(1, 1));
  EXPECT_EQ(sweep(self_.domain).segments, 0U);
  parent.kill();
  const auto swept = sweep(self_.domain);
  EXPECT_EQ(swept.segments, 1U);
  EXPECT_EQ(swept.leases, 1U);
  ::kill(static_cast<pid_t>(board_[1].load()), SIGKILL);
}

/// The text of the SetupError that `body` throws; empty if it throws none.
template <class Body>
std::string setup_error_of(Body body) {
  try {
    body();
  } catch (const SetupError& error) {
    return error.fix().empty() ? std::string("no fix: ") + error.what() : error.what();
  }
  return {};
}

TEST_F(ShmFaultsTest, AFullFileSystemIsAnErrorAndNoCrash) {
  // A small tmpfs of one's own, which ends with the child's mount namespace.
  Child child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("small", base_.path().c_str(), "tmpfs", 0, "size=2m,mode=0700") != 0) {
      return errno == EPERM ? 77 : 1;
    }
    const TestMember member(base_.path());
    auto options = member.writer_options(4, 1 << 20);
    options.reserved = 1 << 20;
    const auto text = setup_error_of([&] { member.writer(options); });
    if (text.find("the file system is full") == std::string::npos) return 2;
    if (text.find("/test") == std::string::npos) return 3;
    if (files_in(member.domain.path()) != 2) return 4;  // bells and lease

    options.reserved = 100;  // has no memory for large ones
    const auto writer = member.writer(options);
    const auto reader = member.reader(*writer, member.reader_options(4));
    std::uint64_t published = 0;
    for (int i = 0; i < 20; ++i) {
      auto filling = writer->begin_growing(1 << 20);
      for (auto& byte : filling.bytes()) byte = std::byte{1};
      published += writer->commit(std::move(filling), {}).refusal == Refusal::none ? 1U : 0U;
      if (publish(*writer, 100, 5).refusal != Refusal::none) return 5;  // small ones go on
    }
    if (published == 0 || refused(*writer, Refusal::no_memory) == 0) return 6;
    while (const auto view = reader->take()) {
      if (view->bytes().size() == 100 && !is_intact(*view)) return 7;
    }
    return writer->reserve(1 << 20) ? 8 : 0;
  });
  const int code = child.wait();
  if (code == 77) GTEST_SKIP() << "needs CAP_SYS_ADMIN to mount a small tmpfs";
  EXPECT_EQ(code, 0);
}

TEST_F(ShmFaultsTest, NoDescriptorLeftIsAnErrorThatSaysSo) {
#if defined(TAKT_ASAN)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which no descriptor is left";
#endif
  const auto writer = self_.writer(self_.writer_options(1, 8));
  Child child([&] {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const auto hint = [](const std::string& text) { return text.find("ulimit -n") != std::string::npos; };
    if (!hint(setup_error_of([&] { self_.writer(self_.writer_options(1, 8)); }))) return 1;
    if (!hint(setup_error_of([&] { self_.reader(*writer, self_.reader_options(1)); }))) return 2;
    if (!hint(setup_error_of([&] { Bells::open(self_.domain, self_.id); }))) return 3;
    return hint(setup_error_of([&] { Lease::create(self_.domain.path(), "lease-1"); })) ? 0 : 4;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(ShmFaultsTest, NoAddressSpaceLeftIsAnErrorThatSaysSo) {
#if defined(TAKT_ASAN) || defined(TAKT_TSAN)
  GTEST_SKIP() << "a sanitizer needs the address space itself";
#else
  Child child([&] {
    const rlimit limit{1U << 30U, 1U << 30U};
    ::setrlimit(RLIMIT_AS, &limit);
    const auto text = setup_error_of([&] { self_.writer(self_.writer_options(20, 64U << 20U)); });
    return text.find("ulimit -v") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
#endif
}

}  // namespace
}  // namespace takt::shm
