// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/clock_log.hpp"

#include <gmock/gmock.h>

#include <random>

#include "lab/common/errors.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string kStart =
    R"({"report":"start","at_ns":1000,"sim_ns":1000000000,"step_ns":1000000,"target_rtf":1.0,"pid":7})"
    "\n";

std::string sample_line(Duration at, Duration sim) {
  return R"({"report":"sample","at_ns":)" + std::to_string(at.count()) + R"(,"sim_ns":)" +
         std::to_string(sim.count()) + "}\n";
}

/// What reading it says; "" when it can be read.
std::string fault_of(const std::string& text) {
  try {
    read_clock_log(text);
  } catch (const CannotMeasure& error) {
    return error.what();
  }
  return "";
}

TEST(ClockLog, EveryReportIsRead) {
  const auto log = read_clock_log(
      kStart + sample_line(100ms, 1100ms) + sample_line(200ms, 1199ms) +
      R"({"report":"gap","at_ns":250000000,"gap_ms":41.5,"sim_ns":1250000000})"
      "\n"
      R"({"report":"end","at_ns":300000000,"sim_ns":1300000000,"iterations":300,"late":2,"dropped_ms":39.5,)"
      R"("lost_events":3,"first_tick_ns":1000000,"verdict":{"last_misses":[)"
      R"({"index":240,"at_s":0.249,"response_ms":40.2,"cause":"runqueue","detail":"queued 40 ms"}]}})"
      "\n");
  ASSERT_EQ(log.samples.size(), 2U);
  EXPECT_EQ(log.samples[1].at, SteadyTime{200ms});
  EXPECT_EQ(log.samples[1].sim, ClockTime{1199ms});
  ASSERT_EQ(log.gaps.size(), 1U);
  EXPECT_EQ(log.gaps[0].length, 41500us);
  EXPECT_EQ(log.gaps[0].begin(), SteadyTime{208500us});
  ASSERT_TRUE(log.end.has_value());
  EXPECT_EQ(log.end->late, 2U);
  EXPECT_DOUBLE_EQ(log.end->dropped_ms, 39.5);
  EXPECT_EQ(log.end->lost_events, 3U);
  ASSERT_EQ(log.end->late_steps.size(), 1U);
  EXPECT_EQ(log.end->late_steps[0].at, SteadyTime{250ms});
  EXPECT_EQ(log.end->late_steps[0].cause, "runqueue");
}

TEST(ClockLog, AKilledProcessLeavesNoEndAndPerhapsHalfALine) {
  const auto log = read_clock_log(kStart + sample_line(100ms, 1100ms) + R"({"report":"sam)");
  EXPECT_EQ(log.samples.size(), 1U);
  EXPECT_FALSE(log.end.has_value());
}

TEST(ClockLog, WhatIsMissingOrMalformedIsNamedWithItsLine) {
  EXPECT_THAT(fault_of(""), HasSubstr("empty"));
  EXPECT_THAT(fault_of(sample_line(1ms, 1ms)), HasSubstr("line 1: the first line does not report"));
  EXPECT_THAT(fault_of(kStart + "garbage\n"), HasSubstr("line 2: no JSON object"));
  EXPECT_THAT(fault_of(kStart + "[1]\n"), HasSubstr("line 2: no JSON object"));
  EXPECT_THAT(fault_of(kStart + "\n"), HasSubstr("line 2: no JSON object"));
  EXPECT_THAT(fault_of(kStart + "{\"at_ns\":1}\n"), HasSubstr("'report' is missing"));
  EXPECT_THAT(fault_of(kStart + "{\"report\":\"sample\",\"at_ns\":1}\n"), HasSubstr("'sim_ns' is missing"));
  EXPECT_THAT(fault_of(kStart + "{\"report\":\"sample\",\"at_ns\":\"1\",\"sim_ns\":1}\n"),
              HasSubstr("'at_ns' is missing or no whole number"));
  EXPECT_THAT(fault_of(kStart + "{\"report\":\"gap\",\"at_ns\":1,\"gap_ms\":1e300}\n"),
              HasSubstr("out of range"));
  EXPECT_THAT(fault_of(kStart + sample_line(2ms, 5ms) + sample_line(3ms, 4ms)),
              HasSubstr("line 3: time goes backwards"));
  EXPECT_THAT(fault_of(kStart + "{\"report\":\"end\",\"at_ns\":1,\"sim_ns\":1,\"iterations\":1,\"late\":0,"
                                "\"dropped_ms\":0}\n"),
              HasSubstr("'verdict' is missing"));
}

TEST(ClockLog, UnknownReportsAreLeftToLaterVersions) {
  EXPECT_EQ(fault_of(kStart + "{\"report\":\"weather\"}\n"), "");
}

TEST(ClockLog, RandomDamageGivesWordsOrALogAndNoCrash) {
  const std::string good = kStart + sample_line(100ms, 1100ms) + sample_line(200ms, 1200ms);
  std::mt19937 random(20261130);  // NOLINT(bugprone-random-generator-seed): the same damage every time
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (int k = 0; k < 4; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    fault_of(text);
  }
}

std::vector<ClockSample> steady_samples() {
  return {{SteadyTime{0ms}, ClockTime{1000ms}},
          {SteadyTime{100ms}, ClockTime{1100ms}},
          {SteadyTime{200ms}, ClockTime{1150ms}},
          {SteadyTime{300ms}, ClockTime{1250ms}},
          {SteadyTime{400ms}, ClockTime{1350ms}}};
}

TEST(RtfWindows, AreOfConsecutiveSamplesWithinTheSpan) {
  const auto rtf = rtf_between(steady_samples(), SteadyTime{100ms}, SteadyTime{399ms});
  ASSERT_TRUE(rtf.has_value());
  ASSERT_EQ(rtf->windows.size(), 2U);
  EXPECT_DOUBLE_EQ(rtf->windows[0].factor, 0.5);
  EXPECT_DOUBLE_EQ(rtf->windows[1].factor, 1.0);
  EXPECT_DOUBLE_EQ(rtf->least, 0.5);
  EXPECT_DOUBLE_EQ(rtf->most, 1.0);
  EXPECT_DOUBLE_EQ(rtf->whole, 0.75);
}

TEST(RtfWindows, OfFewerThanTwoSamplesThereAreNone) {
  EXPECT_FALSE(rtf_between(steady_samples(), SteadyTime{101ms}, SteadyTime{299ms}).has_value());
  EXPECT_FALSE(rtf_between({}, SteadyTime{0ms}, SteadyTime{1s}).has_value());
  const ClockSample one{SteadyTime{1ms}, ClockTime{1ms}};
  EXPECT_FALSE(rtf_between({one, one}, SteadyTime{0ms}, SteadyTime{1s}).has_value());  // no time between them
}

}  // namespace
}  // namespace takt::lab::deadlines
