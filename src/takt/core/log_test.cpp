// SPDX-License-Identifier: Apache-2.0
#include "takt/core/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "takt/core/testing/no_allocation.hpp"

namespace takt::log {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Collects the lines of its life time.
class Log : public ::testing::Test {
 protected:
  Log() {
    set_level(Level::info);
    set_sink(&Log::take, this);
  }
  ~Log() override { set_sink(nullptr, nullptr); }

  std::vector<std::string> lines() {
    flush();
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  static void take(Level, std::string_view line, void* user) {
    auto& self = *static_cast<Log*>(user);
    const std::lock_guard lock(self.mutex_);
    self.lines_.emplace_back(line);
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST_F(Log, FormatsNumbersAndText) {
  const std::string name = "arm";
  write(Level::info, "test", "no argument");
  write(Level::warn, "test", "{} of {:>4} is {:.2f}, {}", "this", name, 1.2345, true);
  write(Level::error, "a.b", "{:#x} {:5}|", 255U, std::string_view("x"));
  EXPECT_THAT(lines(), ElementsAre("[info] [test] no argument", "[warn] [test] this of  arm is 1.23, true",
                                   "[error] [a.b] 0xff x    |"));
}

TEST_F(Log, KeepsTheTextAsItWasWhenItWasLogged) {
  std::string name = "first";
  write(Level::info, "test", "{}", name);
  name = "other";
  EXPECT_THAT(lines(), ElementsAre("[info] [test] first"));
}

TEST_F(Log, CutsLongTextAndLongNames) {
  const std::string big(500, 'x');
  write(Level::info, big, "{}", big);
  EXPECT_THAT(lines(), ElementsAre("[info] [" + std::string(47, 'x') + "] " + std::string(kTextBytes, 'x')));
}

TEST_F(Log, TakesANullPointerForText) {
  const char* nothing = nullptr;
  write(Level::info, "test", "{}", nothing);
  EXPECT_THAT(lines(), ElementsAre("[info] [test] (null)"));
}

TEST_F(Log, RecordsNothingBelowItsLevel) {
  write(Level::debug, "test", "silent");
  set_level(Level::error);
  write(Level::warn, "test", "silent");
  set_level(Level::off);
  write(Level::error, "test", "silent");
  EXPECT_THAT(lines(), IsEmpty());
  set_level(Level::debug);
  write(Level::debug, "test", "said");
  EXPECT_THAT(lines(), ElementsAre("[debug] [test] said"));
}

TEST_F(Log, AllocatesNothingInTheCaller) {
  prepare();
  const std::string name = "a name longer than what fits into a small string";
  {
    const takt::testing::NoAllocation guard;
    write(Level::info, "test", "{} {} {}", name, 1, 2.5);
  }
  EXPECT_EQ(lines().size(), 1U);
}

TEST(LogEvery, IsDueOnceAPeriodAndCountsTheRest) {
  Every every(1s);
  EXPECT_TRUE(every.due(SteadyTime{10s}));
  EXPECT_FALSE(every.due(SteadyTime{10s}));
  EXPECT_FALSE(every.due(SteadyTime{10999ms}));
  EXPECT_TRUE(every.due(SteadyTime{11s}));
  EXPECT_EQ(every.take_suppressed(), 2U);
  EXPECT_EQ(every.take_suppressed(), 0U);
  EXPECT_FALSE(every.due(SteadyTime{11s}));
  EXPECT_EQ(every.take_suppressed(), 1U);
  EXPECT_EQ(every.total_suppressed(), 3U);
}

// ros2_control#2201: a loop at 500 Hz that is late for 10 s is reported ten times, and every cycle is
// counted.
TEST(LogEvery, KeepsCountsComplete) {
  Every every(1s);
  std::uint64_t lines = 0;
  std::uint64_t told = 0;
  for (int i = 0; i < 5000; ++i) {
    if (every.due(SteadyTime{5s + i * 2ms})) {
      ++lines;
      told += 1 + every.take_suppressed();
    }
  }
  EXPECT_EQ(lines, 10U);
  EXPECT_EQ(told + every.take_suppressed(), 5000U);
}

// Processes of their own: the environment is read once, stderr is real, and the process ends.
class LogDeathTest : public ::testing::Test {
 protected:
  LogDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~LogDeathTest() override { ::unsetenv("TAKT_LOG"); }  // NOLINT(concurrency-mt-unsafe): it has ended
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before the process that reads it is started
  static void environment(const char* value) { ::setenv("TAKT_LOG", value, 1); }
};

TEST_F(LogDeathTest, WritesTimeLevelLoggerAndTextToStderr) {
  EXPECT_EXIT(
      {
        write(Level::warn, "arm", "hot: {} C", 90);
        flush();
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0),
      "\\[20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9:]*\\.[0-9][0-9][0-9]\\] \\[warn\\] \\[arm\\] hot: 90 C");
}

TEST_F(LogDeathTest, LosesNothingWhenTheProcessExits) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 500; ++i) write(Level::info, "test", "line {}", i);
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): how programs end
      },
      ::testing::ExitedWithCode(0), "line 499");
}

TEST_F(LogDeathTest, WritesAtOnceWhatStaticObjectsLogWhenTheyAreDestroyed) {
  struct Late {
    ~Late() { write(Level::info, "test", "the last word"); }
  };
  EXPECT_EXIT(
      {
        static const Late before;
        write(Level::info, "test", "the first word");
        static const Late after;
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): how programs end
      },
      ::testing::ExitedWithCode(0), "the first word\n.*the last word\n.*the last word");
}

TEST_F(LogDeathTest, TakesItsLevelFromTheEnvironment) {
  environment("debug");
  EXPECT_EXIT(
      {
        write(Level::debug, "test", "in detail");
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): how programs end
      },
      ::testing::ExitedWithCode(0), "in detail");
}

TEST_F(LogDeathTest, WarnsOfALevelThatDoesNotExistAndNamesThoseThatDo) {
  environment("loud");
  EXPECT_EXIT(
      {
        write(Level::info, "test", "said");
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): how programs end
      },
      ::testing::ExitedWithCode(0),
      "TAKT_LOG is 'loud': it can be debug, info, warn, error or off; using info\n.*said");
}

std::atomic<bool> sink_may_go_on{false};

TEST_F(LogDeathTest, CountsAndReportsWhatAFullQueueDrops) {
  EXPECT_EXIT(
      {
        // A sink that does not return keeps the house busy while the queue fills.
        set_sink(
            [](Level, std::string_view line, void*) {
              while (!sink_may_go_on) std::this_thread::sleep_for(1ms);
              if (line.find("dropped") != std::string_view::npos) {
                std::fprintf(stderr, "%s\n", std::string(line).c_str());
              }
            },
            nullptr);
        for (int i = 0; i < 1100; ++i) write(Level::info, "test", "line {}", i);
        const auto lost = dropped();
        sink_may_go_on = true;
        flush();
        std::_Exit(lost >= 70 && lost <= 76 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0),
      "\\[warn\\] \\[log\\] 7[0-6] messages were dropped because the queue was full");
}

}  // namespace
}  // namespace takt::log
