// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "lab/comm/roudi.hpp"
#include "lab/comm/round.hpp"
#include "lab/comm/stacks.hpp"
#include "lab/comm/stage.hpp"

namespace takt::lab::comm {
namespace {

using testing::HasSubstr;

TEST(CommStage, ArraysOfAStageDoNotOverlap) {
  Round round{.readers = 3, .size = 100, .samples = 5};
  std::vector<std::byte> memory(Stage::bytes_for(round) + 4096);
  void* place = memory.data();
  auto space = memory.size();
  auto& stage = *static_cast<Stage*>(std::align(4096, Stage::bytes_for(round), place, space));
  stage.round = round;
  std::ranges::fill(stage.publish_us(), 1.0F);
  for (std::size_t i = 0; i < 3; ++i) std::ranges::fill(stage.latency_us(i), 2.0F + static_cast<float>(i));
  for (std::uint64_t i = 0; i < 25; ++i) stage.sent_ns(i).store(7);
  std::ranges::fill(stage.buffer(), std::byte{9});
  EXPECT_THAT(stage.publish_us(), testing::Each(1.0F));
  EXPECT_THAT(stage.latency_us(0), testing::Each(2.0F));
  EXPECT_THAT(stage.latency_us(2), testing::Each(4.0F));
  EXPECT_EQ(stage.sent_ns(24).load(), 7);
  EXPECT_EQ(stage.buffer().data() + stage.buffer().size() <= memory.data() + memory.size(), true);
}

TEST(CommShortage, WhatDoesNotFitSaysHowMuchItNeeds) {
  EXPECT_EQ(shortage_for({}), "");
  EXPECT_THAT(shortage_for({.readers = 1024, .size = std::numeric_limits<std::uint32_t>::max()}),
              HasSubstr("MiB of memory"));
}

TEST(CommStacks, IceoryxGetsMemoryForEveryQueue) {
  EXPECT_EQ(roudi_config(64, 2),
            "[general]\nversion = 1\n\n[[segment]]\n\n[[segment.mempool]]\nsize = 224\ncount = 64\n");
}

TEST(CommStacks, ARunnerThatIsNotThereIsNamedWithItsPackage) {
  EXPECT_THAT(why_not_built({.program = "takt-comm-none", .package = "libnone-dev"}),
              HasSubstr("takt-comm-none was not built: install libnone-dev"));
}

}  // namespace
}  // namespace takt::lab::comm
