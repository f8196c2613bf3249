// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/deadline_qos.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;

TEST(DeadlineQos, SilentPeriodsAreWholeDeadlinesWithinAGap) {
  QosWatch watch{.deadline = 15ms, .gaps = {8ms, 25ms, 15ms, 30ms, 31ms}};
  EXPECT_EQ(watch.expected(), 1 + 0 + 1 + 2);
  watch.deadline = 30ms;
  EXPECT_EQ(watch.expected(), 1);
}

TEST(DeadlineQosTimingTest, TheEventTellsTheGapsAndNotTheLateCallback) {
  std::vector<QosWatch> watches;
  const auto told_too_much = [&](std::size_t i) { return watches[i].events > watches[i].expected(); };
  do {  // until a run in which a full machine adds no silence of its own; the test's own time limit ends it
    watches = watch_deadline_qos();
    ASSERT_EQ(watches.size(), 4U);
    for (const auto& watch : watches) {
      ASSERT_EQ(watch.fault, "");
      EXPECT_EQ(watch.gaps.size(), 10U);
    }
  } while (told_too_much(2) || told_too_much(3));  // of a callback that runs for 22 ms
  EXPECT_GE(watches[0].events, 1);                 // 25 ms against 15
  EXPECT_GE(watches[2].late_callbacks, 1U);        // 22 ms against 15
  EXPECT_EQ(to_json(watches)[0]["deadline_ms"], 15);
}

}  // namespace
}  // namespace takt::lab::deadlines
