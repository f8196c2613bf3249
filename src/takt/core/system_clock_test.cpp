// SPDX-License-Identifier: Apache-2.0
#include "takt/core/system_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// A machine whose clocks the test sets.
struct Machine {
  Duration monotonic = 1000s;
  Duration offset = 1'700'000'000s;
  Duration per_reading = 0s;  // how far the monotonic clock moves at each reading

  SystemClock::Source calendar() {
    return [this] { return monotonic + offset; };
  }
  SystemClock::Source steady() {
    return [this] { return monotonic += per_reading; };
  }
};

class SystemClockTest : public ::testing::Test {
 protected:
  Machine machine_;
  SystemClock clock_{machine_.calendar(), machine_.steady()};
};

TEST_F(SystemClockTest, GivesTheCalendar) {
  EXPECT_EQ(clock_.now().time_since_epoch(), machine_.monotonic + machine_.offset);
  EXPECT_EQ(clock_.kind(), ClockKind::system);
  machine_.monotonic += 10s;
  const auto reading = clock_.read();
  EXPECT_EQ(reading.now.time_since_epoch(), machine_.monotonic + machine_.offset);
  EXPECT_EQ(reading.epoch, 0U);
  EXPECT_TRUE(reading.started);
}

// rclpy#1490: the system clock steps back 60 s.
TEST_F(SystemClockTest, MovesTheEpochAtAStepBackOnce) {
  machine_.offset -= 60s;
  const auto after = clock_.read();
  EXPECT_EQ(after.epoch, 1U);
  EXPECT_EQ(after.now.time_since_epoch(), machine_.monotonic + machine_.offset);
  EXPECT_EQ(clock_.jumps(), 1U);
  machine_.monotonic += 1s;
  EXPECT_EQ(clock_.read().epoch, 1U);
  EXPECT_EQ(clock_.jumps(), 1U);
}

TEST_F(SystemClockTest, MovesTheEpochAtAStepForward) {
  machine_.offset += 51ms;
  EXPECT_EQ(clock_.read().epoch, 1U);
}

TEST_F(SystemClockTest, SeesEveryStepOfManyThereAndBack) {
  for (std::uint32_t i = 1; i <= 20; ++i) {
    machine_.offset += i % 2 == 0 ? -1h : 1h;
    EXPECT_EQ(clock_.read().epoch, i);
    EXPECT_EQ(clock_.read().epoch, i);
  }
  EXPECT_EQ(clock_.jumps(), 20U);
}

TEST_F(SystemClockTest, FollowsSlewingSilently) {
  for (int i = 0; i < 10'000; ++i) {  // 500 ppm for 10,000 s: 5 s in all
    machine_.monotonic += 1s;
    machine_.offset += 500us;
    clock_.read();
  }
  EXPECT_EQ(clock_.jumps(), 0U);
}

TEST_F(SystemClockTest, TakesAnInterruptedReadingForNoStep) {
  machine_.per_reading = 200ms;  // preempted between the readings of the two clocks, every time
  for (int i = 0; i < 10; ++i) clock_.read();
  EXPECT_EQ(clock_.jumps(), 0U);
  machine_.offset -= 60s;  // a real step is seen all the same
  clock_.read();
  EXPECT_EQ(clock_.jumps(), 1U);
  machine_.per_reading = 0s;
  clock_.read();
  EXPECT_LE(clock_.jumps(), 2U);
}

TEST(SystemClock, IsTheMachinesCalendar) {
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  const auto now = SystemClock::instance()->now().time_since_epoch();
  const auto after = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_GE(now, before);
  EXPECT_LE(now, after);
}

TEST(SystemClock, IsReadWithoutTheHeap) {
  const auto& clock = *SystemClock::instance();
  const testing::NoAllocation guard;
  clock.read();
}

}  // namespace
}  // namespace takt
