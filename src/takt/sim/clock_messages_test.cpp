// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/clock_messages.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace takt::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Kind = ClockCommand::Kind;

TEST(ClockMessages, ATimeGoesThereAndBack) {
  for (const auto time : {ClockTime{1ns}, ClockTime{1s}, ClockTime{5s - 1ns}, kLastTime})
    EXPECT_EQ(from_message(to_message(time)), time);
  builtin_interfaces::msg::Time message;
  message.sec = -5;
  EXPECT_EQ(from_message(message), ClockTime{-5s});
  message.nanosec = 1'000'000'000;
  EXPECT_FALSE(from_message(message));
}

TEST(ClockMessages, ACommandGoesThereAndBack) {
  const ClockCommand command{Kind::run_to, 7, ClockTime{3s}, 0.5};
  const auto message = to_message(command, 42);
  EXPECT_EQ(message.id, 42U);
  const auto read = from_message(message);
  EXPECT_EQ(read.refusal, Refusal::none);
  EXPECT_EQ(read.command.kind, Kind::run_to);
  EXPECT_EQ(read.command.steps, 7U);
  EXPECT_EQ(read.command.time, ClockTime{3s});
  EXPECT_EQ(read.command.rtf, 0.5);
}

TEST(ClockMessages, WhatNoCommandCanBeIsRefused) {
  takt_msgs::msg::ClockRequest request;
  request.command = 7;
  EXPECT_EQ(from_message(request).refusal, Refusal::unknown_command);
  request.command = 255;
  EXPECT_EQ(from_message(request).refusal, Refusal::unknown_command);
  request.command = takt_msgs::msg::ClockRequest::RUN_TO;
  request.time.nanosec = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(from_message(request).refusal, Refusal::bad_time);
  request.command = takt_msgs::msg::ClockRequest::PAUSE;  // which has no time
  EXPECT_EQ(from_message(request).refusal, Refusal::none);
}

TEST(ClockMessages, AReplySaysWhatBecameOfItAndTheState) {
  ClockStatus status;
  status.sim_time = ClockTime{5s};
  status.state = WorldState::stepping;
  status.steps_left = 3;
  status.target_rtf = 0.5;
  status.factors.since_start = 0.25;
  status.window = 100ms;
  status.dropped = 20ms;
  const auto reply = to_message(ClockOutcome{Refusal::not_paused, status}, {Kind::step, 2, {}, 0}, 9);
  EXPECT_FALSE(reply.accepted);
  EXPECT_THAT(reply.text, HasSubstr("the clock is stepping"));
  EXPECT_EQ(reply.id, 9U);
  const auto back = from_message(reply);
  EXPECT_EQ(back.sim_time, status.sim_time);
  EXPECT_EQ(back.state, WorldState::stepping);
  EXPECT_EQ(back.steps_left, 3U);
  EXPECT_EQ(back.target_rtf, 0.5);
  EXPECT_EQ(back.factors.since_start, 0.25);
  EXPECT_TRUE(std::isnan(back.factors.gazebo));
  EXPECT_EQ(back.window, 100ms);
  EXPECT_EQ(back.dropped, 20ms);
}

TEST(ClockMessages, ADamagedReplyIsReadAsWellAsItCanBe) {
  takt_msgs::msg::ClockReply reply;
  reply.state = 200;
  reply.statistics.dropped_s = 1e300;
  reply.statistics.window_s = std::nan("");
  reply.statistics.sim_time.nanosec = 4'000'000'000;
  const auto status = from_message(reply);
  EXPECT_EQ(status.state, WorldState::running_to);
  EXPECT_EQ(status.dropped, 0ns);
  EXPECT_EQ(status.window, 0ns);
}

TEST(ClockMessages, EveryRefusalHasWordsOfItsOwn) {
  std::set<std::string> words;
  for (auto at = static_cast<int>(Refusal::not_paused); at <= static_cast<int>(Refusal::stopped); ++at)
    words.insert(words_of(static_cast<Refusal>(at), {}, {}));
  EXPECT_EQ(words.size(), 9U);
  EXPECT_FALSE(words.contains("?") || words.contains(""));
  EXPECT_EQ(words_of(Refusal::none, {}, {}), "");
}

}  // namespace
}  // namespace takt::sim
