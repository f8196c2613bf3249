// SPDX-License-Identifier: Apache-2.0
#include "lab/common/distribution.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace takt::lab {
namespace {

TEST(DistributionTest, PercentilesAreSamples) {
  std::vector<double> values(1001);
  std::iota(values.begin(), values.end(), 0.0);
  std::swap(values[3], values[1000]);  // the order does not matter
  const auto d = distribution_of(values);
  EXPECT_EQ(d.count, 1001U);
  EXPECT_DOUBLE_EQ(d.mean, 500);
  EXPECT_DOUBLE_EQ(d.p50, 500);
  EXPECT_DOUBLE_EQ(d.p90, 900);
  EXPECT_DOUBLE_EQ(d.p99, 990);
  EXPECT_DOUBLE_EQ(d.p999, 999);
  EXPECT_DOUBLE_EQ(d.max, 1000);
}

TEST(DistributionTest, TheFirstMaximumIsNamed) {
  const std::vector<double> values = {1, 7, 3, 7};
  const std::vector<double> at_s = {0.1, 0.2, 0.3, 0.4};
  const auto d = distribution_of(values, at_s);
  EXPECT_EQ(d.max_index, 2U);
  EXPECT_DOUBLE_EQ(d.max_at_s, 0.2);
}

TEST(DistributionTest, NearestRankRoundsHalfUp) {
  const std::vector<double> sorted = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.5), 3);  // round(1.5) = 2
  EXPECT_DOUBLE_EQ(percentile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(sorted, 1), 4);
  EXPECT_DOUBLE_EQ(percentile(sorted, 7), 4);
}

TEST(DistributionTest, OneSampleIsEveryPercentile) {
  const auto d = distribution_of(std::vector<double>{5.5});
  EXPECT_DOUBLE_EQ(d.p50, 5.5);
  EXPECT_DOUBLE_EQ(d.p999, 5.5);
  EXPECT_EQ(d.max_index, 1U);
}

TEST(DistributionTest, NoSampleIsZero) {
  const auto d = distribution_of({});
  EXPECT_EQ(d.count, 0U);
  EXPECT_DOUBLE_EQ(d.max, 0);
}

TEST(DistributionTest, JsonHasTheKeysOfTheContractInOrder) {
  EXPECT_EQ(
      to_json(distribution_of(std::vector<double>{2.0, 4.0})).dump(),
      R"({"count":2,"mean":3.0,"p50":4.0,"p90":4.0,"p99":4.0,"p999":4.0,"max":4.0,"max_index":2,"max_at_s":0.0})");
}

}  // namespace
}  // namespace takt::lab
