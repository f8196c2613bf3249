// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/throttle_log.hpp"

#include <gtest/gtest.h>

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;

QuotaSample sample_at(Duration at, double throttled_us, std::uint64_t times) {
  return {SteadyTime{at}, {.version = 1, .nr_throttled = times, .throttled_usec = throttled_us}};
}

TEST(ThrottledStretches, EndWhereTheCounterMovedAndBeginByWhatItGained) {
  const auto stretches = throttled_stretches({sample_at(0ms, 5000, 1), sample_at(10ms, 5000, 1),
                                              sample_at(100ms, 45000, 2), sample_at(110ms, 45000, 2)});
  ASSERT_EQ(stretches.size(), 1U);
  EXPECT_EQ(stretches[0].begin, SteadyTime{60ms});
  EXPECT_EQ(stretches[0].end, SteadyTime{100ms});
  EXPECT_DOUBLE_EQ(stretches[0].throttled_ms, 40);
}

TEST(ThrottledStretches, DoNotOverlapNorExceedAPeriod) {
  // Two cores count twice the time.
  const auto stretches =
      throttled_stretches({sample_at(0ms, 0, 0), sample_at(200ms, 160'000, 2), sample_at(210ms, 200'000, 3)});
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_EQ(stretches[0].begin, SteadyTime{100ms});
  EXPECT_EQ(stretches[1].begin, stretches[0].end);
}

TEST(ThrottledStretches, OfNothingThereAreNone) {
  EXPECT_TRUE(throttled_stretches({}).empty());
  EXPECT_TRUE(throttled_stretches({sample_at(0ms, 7, 1), sample_at(10ms, 7, 1)}).empty());
}

TEST(ThrottledStretches, AreCutToTheSpanThatIsAskedFor) {
  const std::vector<ThrottledStretch> stretches{{SteadyTime{10ms}, SteadyTime{30ms}, 20},
                                                {SteadyTime{50ms}, SteadyTime{60ms}, 10}};
  EXPECT_EQ(throttled_within(stretches, SteadyTime{20ms}, SteadyTime{55ms}), 15ms);
  EXPECT_EQ(throttled_within(stretches, SteadyTime{30ms}, SteadyTime{50ms}), 0ms);
}

}  // namespace
}  // namespace takt::lab::deadlines
