// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/meters.hpp"

#include <gmock/gmock.h>

namespace takt::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

SteadyTime at_ms(double ms) { return SteadyTime{Duration{static_cast<std::int64_t>(ms * 1e6)}}; }

TEST(RateMeter, HasNothingToSayOfOneMessage) {
  RateMeter meter(10);
  EXPECT_FALSE(meter.ready());
  meter.add({at_ms(0), at_ms(0), 1});
  EXPECT_FALSE(meter.ready());
}

TEST(RateMeter, KeepsTheLongestGapWhenTheWindowHasLongForgottenIt) {
  RateMeter meter(3);
  for (const double ms : {100.0, 110.0, 510.0, 520.0, 530.0, 544.0}) meter.add({at_ms(ms), at_ms(ms), 1});
  const auto json = meter.json(at_ms(600));
  EXPECT_EQ(json["count"], 6);
  EXPECT_EQ(json["window"], 3);
  EXPECT_DOUBLE_EQ(json["mean_ms"], 12);
  EXPECT_DOUBLE_EQ(json["min_ms"], 10);
  EXPECT_DOUBLE_EQ(json["max_ms"], 14);
  EXPECT_DOUBLE_EQ(json["std_dev_ms"], 2);
  EXPECT_NEAR(json["rate_hz"], 1000.0 / 12, 1e-9);
  EXPECT_DOUBLE_EQ(json["longest_gap_ms"], 400);
  EXPECT_DOUBLE_EQ(json["longest_gap_at_s"], 0.01);
  EXPECT_EQ(json["longest_gap_at_ns"], 110'000'000);
  EXPECT_DOUBLE_EQ(json["silent_for_ms"], 56);
  EXPECT_THAT(meter.text(at_ms(600), {}), HasSubstr("longest gap: 400.000 ms"));
}

TEST(RateMeter, TimesOutOfOrderAreNoNegativeInterval) {
  RateMeter meter(10);
  for (const double ms : {0.0, 20.0, 10.0, 30.0}) meter.add({at_ms(ms), at_ms(ms), 1});
  const auto json = meter.json(at_ms(30));
  EXPECT_DOUBLE_EQ(json["min_ms"], 0);
  EXPECT_DOUBLE_EQ(json["mean_ms"], 10);
}

TEST(BandwidthMeter, TheFirstMessageOnlyBeginsTheTime) {
  BandwidthMeter meter(3);
  for (const auto& [ms, bytes] : {std::pair{0.0, 9UL}, {500.0, 1000UL}, {1000.0, 2000UL}, {1500.0, 3000UL}})
    meter.add({at_ms(0), at_ms(ms), bytes});
  const auto json = meter.json(at_ms(0));
  EXPECT_DOUBLE_EQ(json["bytes_per_s"], 5000);
  EXPECT_DOUBLE_EQ(json["mean_bytes"], 2000);
  EXPECT_EQ(json["min_bytes"], 1000);
  EXPECT_EQ(json["max_bytes"], 3000);
  EXPECT_EQ(json["count"], 4);
  EXPECT_THAT(meter.text({}, {}), HasSubstr("5.00 kB/s from 3 of 4 messages"));
}

TEST(DelayMeter, IsFromPublicationToReception) {
  DelayMeter meter(3);
  EXPECT_FALSE(meter.ready());
  for (const double delay_ms : {9.0, 1.0, 2.0, 3.0}) meter.add({at_ms(10), at_ms(10 + delay_ms), 1});
  const auto json = meter.json(at_ms(0));
  EXPECT_EQ(json["count"], 4);
  EXPECT_DOUBLE_EQ(json["delay_us"]["mean"], 2000);
  EXPECT_DOUBLE_EQ(json["delay_us"]["max"], 3000);
  EXPECT_THAT(meter.text({}, {}), HasSubstr("max 3000.0 us"));
}

}  // namespace
}  // namespace takt::cli
