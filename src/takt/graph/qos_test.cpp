// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/qos.hpp"

#include <gtest/gtest.h>

#include "takt/core/error.hpp"

namespace takt {
namespace {

TEST(QoS, has_the_defaults_of_rclcpp) {
  const QoS qos = 7;
  EXPECT_EQ(qos.history(), HistoryPolicy::keep_last);
  EXPECT_EQ(qos.reliability(), ReliabilityPolicy::reliable);
  EXPECT_EQ(qos.durability(), DurabilityPolicy::volatile_);
  EXPECT_EQ(qos.depth(), 7U);
  EXPECT_EQ(QoS(KeepLast(3)).depth(), 3U);
}

TEST(QoS, keeps_all_up_to_a_limit) {
  EXPECT_EQ(QoS(KeepAll{}).history(), HistoryPolicy::keep_all);
  EXPECT_EQ(QoS(KeepAll{12}).depth(), 12U);
  EXPECT_EQ(QoS(1).keep_all(9).depth(), 9U);
}

TEST(QoS, profiles) {
  EXPECT_EQ(SensorDataQoS().depth(), 5U);
  EXPECT_EQ(SensorDataQoS().reliability(), ReliabilityPolicy::best_effort);
  EXPECT_EQ(ClockQoS().depth(), 1U);
  EXPECT_EQ(SystemDefaultsQoS().depth(), 10U);
}

TEST(QoS, refuses_a_depth_that_cannot_be_and_names_it) {
  EXPECT_THROW(QoS(0), SetupError);
  EXPECT_THROW(QoS(10).keep_all(0), SetupError);
  EXPECT_NO_THROW(QoS(65'536));
  try {
    QoS qos(65'537);
    FAIL();
  } catch (const SetupError& e) {
    EXPECT_NE(std::string(e.what()).find("65537"), std::string::npos);
    EXPECT_FALSE(e.fix().empty());
  }
}

TEST(QoS, request_against_offer) {
  const QoS plain = 1;
  EXPECT_EQ(incompatibility(plain, plain), "");
  EXPECT_EQ(incompatibility(plain, QoS(1).best_effort()), "") << "more is offered than asked for";
  EXPECT_EQ(incompatibility(QoS(1).transient_local(), plain), "");
  EXPECT_NE(incompatibility(QoS(1).best_effort(), plain).find("best effort"), std::string::npos);
  EXPECT_NE(incompatibility(plain, QoS(1).transient_local()).find("transient local"), std::string::npos);
}

}  // namespace
}  // namespace takt
